// Writes a request of the OpenAPI document as a curl command. The reader's own values are variables of the shell.

export type CurlRequest = {
  method: string;
  /** `called`: the operation's method in `@balcao/client`. Null or absent if the client has no such method. */
  called?: string | null;
  /** `url`: the URL with `{names}` for the path parameters. */
  url: string;
  /** `query`: names of required query parameters. */
  query: string[];
  needsToken: boolean;
  /** `isKeyed`: true if the operation accepts an Idempotency-Key. */
  isKeyed: boolean;
  body: { example: object; isForm: boolean } | null;
  /** `answers`: the media types of a successful answer. */
  answers: string[];
};

/** Writes a request as one curl command, with one line per option. */
export function writeCurl({ method, url, query, needsToken, isKeyed, body, answers }: CurlRequest): string {
  const address = writeAddress({ url, query }, (name) => `$${name}`);
  const [type = ''] = answers;
  const flags = [
    type === 'text/event-stream' ? '-sN' : '-s',
    method !== (body ? 'POST' : 'GET') && `-X ${method}`,
    type.startsWith('image/') && `-o ${nameFile(url, type)}`,
  ].filter(Boolean);
  const parts = [
    `curl ${flags.join(' ')} ${/[$?&]/.test(address) ? `"${address}"` : address}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(isKeyed ? [`-H "Idempotency-Key: ${NEW_KEY}"`] : []),
    ...(body ? writeBody(body) : []),
  ];
  return parts.join(' \\\n  ');
}

/** Writes a request's URL with its query. @param put returns a variable in the syntax of the sample's language */
export function writeAddress(
  { url, query }: Pick<CurlRequest, 'url' | 'query'>,
  put: (name: string) => string,
): string {
  const queryText = query.map((name, n) => `${n === 0 ? '?' : '&'}${name}=${put(nameVariable(name))}`).join('');
  return url.replace(/\{(\w+)\}/g, (_, name: string) => put(nameVariable(name))) + queryText;
}

/** Shell code that makes a new Idempotency-Key for each run, because a repeated key would have no effect. */
const NEW_KEY = `$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')`;

/** Returns the shell variable of a parameter: `PAYMENT_ID` for `paymentId`. */
export function nameVariable(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

/** Names an image file after the last word of its URL. `image/*` gets no extension. */
function nameFile(url: string, type: string): string {
  const name = /([a-z]+)(\.\w+)?$/.exec(url)?.[1] ?? 'image';
  const kind = /^image\/(\w+)/.exec(type)?.[1];
  return kind ? `${name}.${kind}` : name;
}

function writeBody({ example, isForm }: { example: object; isForm: boolean }): string[] {
  if (isForm) return Object.entries(example).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`);
  const short = JSON.stringify(example);
  const json = short.length > MAX_LINE ? JSON.stringify(example, null, 2).replaceAll('\n', '\n  ') : short;
  return ["-H 'Content-Type: application/json'", `-d ${quote(json)}`];
}

/** The longest JSON body on one line. A longer body is written on several lines. */
const MAX_LINE = 70;

/** Quotes any text for the shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
