// The options of curl that our guides use, for machines without curl.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    fail: { type: 'boolean', short: 'f' },
    'no-buffer': { type: 'boolean', short: 'N' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd', multiple: true, default: [] },
    'data-urlencode': { type: 'string', multiple: true, default: [] },
    user: { type: 'string', short: 'u' },
    output: { type: 'string', short: 'o' },
    'write-out': { type: 'string', short: 'w' },
  },
});

const encoded = values['data-urlencode'].map((field) => {
  const [name = '', ...rest] = field.split('=');
  return `${name}=${encodeURIComponent(rest.join('='))}`;
});
const data = [...values.data, ...encoded];
const headers = new Headers(values.header.map((line) => line.split(/:\s*(.*)/).slice(0, 2) as [string, string]));
if (data.length > 0 && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded');
if (values.user) headers.set('authorization', `Basic ${Buffer.from(values.user).toString('base64')}`);

const answer = await fetch(positionals[0] ?? '', {
  method: values.request ?? (data.length > 0 ? 'POST' : 'GET'),
  headers,
  redirect: 'manual',
  ...(data.length > 0 && { body: data.join('&') }),
});
const body = Buffer.from(await answer.arrayBuffer());
if (values.fail && answer.status >= 400) process.exit(22);
if (values.output) await writeFile(values.output, body);
else process.stdout.write(body);
const statusText = values['write-out']?.replaceAll('\\n', '\n').replaceAll('%{http_code}', String(answer.status));
if (statusText) process.stdout.write(statusText);
