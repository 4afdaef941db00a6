// The data of the API reference: the server reads it from the OpenAPI document, and the pages render it.

/** The shell command that prints the access token of a token response. */
export const READ_TOKEN = String.raw`sed 's/.*"access_token":"\([^"]*\)".*/\1/'`;

/** The schema of a JSON value, ready to show. */
export type DocsShape = {
  /** The type of the JSON value in words: `string`, `array of object`. */
  type: string;
  about: string;
  /** Further rules of the JSON value: the allowed values, bounds, the default. */
  notes: string[];
  /** The fields of the JSON object, or of the objects in the array. */
  fields: DocsField[];
  /** The alternatives, if the JSON value is one of several kinds of objects. */
  variants: { title: string; fields: DocsField[] }[];
};

export type DocsField = DocsShape & { name: string; isRequired: boolean };

export type DocsAnswer = {
  status: string;
  about: string;
  types: string[];
  shape: DocsShape | null;
  /** An example of the response as JSON, or null. */
  example: string | null;
};

export type DocsOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** The operation's description: Markdown with only paragraphs, lists and `code`. */
  description: string;
  /** The callers that may call the operation, if the description does not name them. */
  access: string;
  /** The operation's rate limit in words. Null without a limit. */
  limit: string | null;
  /** The operation's parameters, grouped by place: path, query or headers. */
  parameters: { place: string; fields: DocsField[] }[];
  body: { types: string[]; shape: DocsShape } | null;
  /** A curl command that sends the operation's request. */
  curl: string;
  /** The operation's request in programming languages. */
  samples: { language: string; text: string }[];
  /** The data with which the page itself can send the request. Null for endless responses (streams). */
  trial: DocsTrial | null;
  answers: DocsAnswer[];
  refusals: { status: string; about: string }[];
};

/** A request that the reader can try: the fields to fill in, and an initial body. */
export type DocsTrial = {
  fields: { name: string; place: 'path' | 'query'; isRequired: boolean }[];
  body: string | null;
  needsToken: boolean;
  isKeyed: boolean;
};

/** A shell variable of the documented commands, and a text that says where to find its value. */
export type DocsName = { name: string; about: string };

export type DocsTag = { slug: string; name: string; names: DocsName[]; operations: DocsOperation[] };

export type DocsView = {
  version: string;
  about: string;
  publicUrl: string;
  /** The shell command that stores an access token in `$TOKEN`. */
  tokenCommand: string;
  /** Credentials for "try it" (`id:secret`). Null outside the sandbox. */
  tryAs: string | null;
  /** The shell command that sets the other shell variables for the demo merchant. Null outside the sandbox. */
  namesCommand: string | null;
  tags: DocsTag[];
  /** The URL of the script of the API reference. Null if the script was not built: the pages work without it. */
  script: string | null;
};
