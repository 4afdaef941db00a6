// What the API reference shows: one shape for the server that reads the interface document and the pages that draw it.

/** A value as the interface document describes it. */
export type DocsShape = {
  /** In words: `string`, `array of object`. */
  type: string;
  about: string;
  /** What else holds: the values allowed, bounds, the default. */
  notes: string[];
  /** Of an object, or of the objects in an array. */
  fields: DocsField[];
  /** One of several objects. */
  variants: { title: string; fields: DocsField[] }[];
};

export type DocsField = DocsShape & { name: string; isRequired: boolean };

export type DocsAnswer = {
  status: string;
  about: string;
  types: string[];
  shape: DocsShape | null;
  /** As JSON; null: none. */
  example: string | null;
};

export type DocsOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** Paragraphs, lists and `code`. */
  description: string;
  /** Who may ask, where the description does not say. */
  access: string;
  /** How often, in words; null: as often as one likes. */
  limit: string | null;
  /** By where they go: in the path, in the query, as headers. */
  parameters: { place: string; fields: DocsField[] }[];
  body: { types: string[]; shape: DocsShape } | null;
  /** A command that makes the request. */
  curl: string;
  /** The same in other languages. */
  samples: { language: string; text: string }[];
  /** What the page needs to make the request itself; null: it has no end. */
  trial: DocsTrial | null;
  answers: DocsAnswer[];
  refusals: { status: string; about: string }[];
};

/** A request to try: what is to be filled in, and a body to begin with. */
export type DocsTrial = {
  fields: { name: string; place: 'path' | 'query'; isRequired: boolean }[];
  body: string | null;
  needsToken: boolean;
  isKeyed: boolean;
};

/** What a command takes from the shell, and where the reader finds it. */
export type DocsName = { name: string; about: string };

export type DocsTag = { slug: string; name: string; names: DocsName[]; operations: DocsOperation[] };

export type DocsView = {
  version: string;
  about: string;
  publicUrl: string;
  /** The line that puts a token into `$TOKEN`. */
  tokenCommand: string;
  /** Who asks where operations are tried, `id:secret`; null: nobody, outside of a sandbox. */
  tryAs: string | null;
  /** What a sandbox's first merchant needs besides, as a command; null: no sandbox. */
  namesCommand: string | null;
  tags: DocsTag[];
  /** The built script of the pages; null: none, and they do without. */
  script: string | null;
};
