// What a route answers with.

export type Answer = {
  /** 0: the handler wrote to `ctx` itself (pages, streams). */
  status: number;
  /** An object becomes JSON; a string is sent as it is (JSON unless `type` says otherwise). */
  body?: object | string | Buffer | null;
  type?: string;
  headers?: Record<string, string>;
};
