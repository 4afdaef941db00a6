// A request of the interface document as a command to copy: what the reader has to know stands in variables of the shell.

export type CurlRequest = {
  method: string;
  /** Its method in `@balcao/client`; null: none. */
  called?: string | null;
  /** With `{names}`. */
  url: string;
  /** Names of required query fields. */
  query: string[];
  needsToken: boolean;
  /** Whether it takes a key that makes a repeat harmless. */
  isKeyed: boolean;
  body: { example: object; isForm: boolean } | null;
  /** Types of the answer when all is well. */
  answers: string[];
};

/** One command, a line for each part. */
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

/** Address and query. @param put writes a variable of the language into a text */
export function writeAddress(
  { url, query }: Pick<CurlRequest, 'url' | 'query'>,
  put: (name: string) => string,
): string {
  const asked = query.map((name, n) => `${n === 0 ? '?' : '&'}${name}=${put(nameVariable(name))}`).join('');
  return url.replace(/\{(\w+)\}/g, (_, name: string) => put(nameVariable(name))) + asked;
}

/** Another key each time that the command is pasted: with the key of yesterday it would do nothing. Every POSIX shell knows it. */
const NEW_KEY = `$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')`;

/** `paymentId` is `$PAYMENT_ID`. */
export function nameVariable(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

/** By the last word of its address; `image/*` may be of any kind. */
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

/** A longer body is written over several lines. */
const MAX_LINE = 70;

/** For the shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
