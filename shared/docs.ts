// The data of the API reference: the server reads it from the OpenAPI document, and the pages render it.

/** The schema of a JSON value, ready to show. */
export type DocsShape = {
  /** The type in words: `string`, `array of object`. */
  type: string;
  about: string;
  /** Further rules: the allowed values, bounds, the default. */
  notes: string[];
  /** The fields of the object, or of the objects in the array. */
  fields: DocsField[];
  /** The alternatives, if the value is one of several objects. */
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
  /** Markdown with paragraphs, lists and `code` only. */
  description: string;
  /** The callers that may call the operation, if the description does not name them. */
  access: string;
  /** The rate limit in words. Null for an operation without a limit. */
  limit: string | null;
  /** The parameters by place: path, query or headers. */
  parameters: { place: string; fields: DocsField[] }[];
  body: { types: string[]; shape: DocsShape } | null;
  /** A curl command that sends the request. */
  curl: string;
  /** The same request in programming languages. */
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

/** A shell variable of the commands, and the place where the reader finds its value. */
export type DocsName = { name: string; about: string };

export type DocsTag = { slug: string; name: string; names: DocsName[]; operations: DocsOperation[] };

export type DocsView = {
  version: string;
  about: string;
  publicUrl: string;
  /** The shell command that puts an access token into `$TOKEN`. */
  tokenCommand: string;
  /** Credentials for "try it" (`id:secret`). Null outside the sandbox. */
  tryAs: string | null;
  /** The shell command that sets the other variables for the sandbox's demo merchant. Null outside the sandbox. */
  namesCommand: string | null;
  tags: DocsTag[];
  /** The address of the pages' script. Null if the script was not built: the pages work without it. */
  script: string | null;
};
