// A request of the interface document as a command to copy: what the reader has to know stands in variables of the shell.

export type CurlRequest = {
  method: string;
  /** With `{names}`. */
  url: string;
  /** Names of required query fields. */
  query: string[];
  needsToken: boolean;
  /** The key that makes a repeat harmless, where it is honoured. */
  key: string | null;
  body: { example: object; isForm: boolean } | null;
  /** Types of the answer when all is well. */
  answers: string[];
};

/** One command, a line for each part. */
export function writeCurl({ method, url, query, needsToken, key, body, answers }: CurlRequest): string {
  const asked = query.map((name, n) => `${n === 0 ? '?' : '&'}${name}=$${nameVariable(name)}`).join('');
  const address = url.replace(/\{(\w+)\}/g, (_, name: string) => `$${nameVariable(name)}`) + asked;
  const [type = ''] = answers;
  const flags = [
    type === 'text/event-stream' ? '-sN' : '-s',
    method !== (body ? 'POST' : 'GET') && `-X ${method}`,
    type.startsWith('image/') && `-o code.${type.replace(/\+.*/, '').slice('image/'.length)}`,
  ].filter(Boolean);
  const parts = [
    `curl ${flags.join(' ')} ${/[$?&]/.test(address) ? `"${address}"` : address}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(key ? [`-H 'Idempotency-Key: ${key}'`] : []),
    ...(body ? writeBody(body) : []),
  ];
  return parts.join(' \\\n  ');
}

/** `paymentId` is `$PAYMENT_ID`. */
function nameVariable(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
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
