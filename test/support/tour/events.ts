// Events as a merchant's server reads them: the feed page by page, the stream; and notifications for people.
import { openStream } from '../stream.ts';
import { webframe } from './payments.ts';
import type { Tour } from './recorder.ts';

const nobody = '00000000-0000-4000-8000-000000000099';

export async function walkEvents(tour: Tour): Promise<void> {
  const { call } = tour;
  const first = await call('the feed', 'GET /api/events?limit=5');
  await call('the feed goes on', `GET /api/events?limit=5&after=${first.json.next}`);
  await call('the feed from now', 'GET /api/events?after=now');
  await call('the feed with faults', 'GET /api/events?after=x&limit=0');
  await call('another’s feed', 'GET /api/events?limit=3', { token: await tour.strangerToken() });
  await keepStream(tour);
  await walkNotifications(tour);
}

async function keepStream({ app, call, keep, walked }: Tour): Promise<void> {
  const authorization = `Bearer ${await app.token()}`;
  const stream = await openStream(`${app.url}/api/events/stream?after=now`, { authorization });
  walked.add('GET /api/events/stream');
  const { json } = await call('a payment that the stream tells of', 'POST /api/payments', {
    body: webframe('STREAM-1'),
  });
  await stream.untilEvent(({ data }) => data?.paymentId === json.id, 'the stream telling of it');
  stream.close();
  const text = stream
    .text()
    .replace(/^retry: \d+/, 'retry: …')
    .replaceAll(/^id: .+$/gm, 'id: <cursor>')
    .replaceAll(/(?<="cursor":")\d+/g, '<cursor>');
  const { 'content-type': type, 'cache-control': kept } = stream.headers;
  keep('the stream of events', { status: stream.status, headers: { type, kept }, text: text.split('\n') });
  await call('the stream of events without a token', 'GET /api/events/stream', { token: null });
  await call('the stream of events with a fault', 'GET /api/events/stream?after=x');
  await call('the stream of events by HEAD', 'HEAD /api/events/stream');
}

async function walkNotifications(tour: Tour): Promise<void> {
  const { call } = tour;
  const path = '/v1/notificacoes';
  const { json } = await call('the notifications', `GET ${path}?pageSize=50`);
  await call('the notifications in English', `GET ${path}?pageSize=50`, { headers: { 'accept-language': 'en' } });
  await call('the notifications in French', `GET ${path}?pageSize=2`, { headers: { 'accept-language': 'fr' } });
  const [newest] = json.data;
  await call('a notification is read', `PUT ${path}/${newest.id}`, { body: { estado: 1 } });
  await call('a notification with a fault', `PUT ${path}/${newest.id}`, { body: { estado: 2 } });
  await call('a notification that is none', `PUT ${path}/${nobody}`, { body: { estado: 1 } });
  await call('another’s notification', `PUT ${path}/${newest.id}`, {
    body: { estado: 1 },
    token: await tour.strangerToken(),
  });
  await call('the notifications that were read', `GET ${path}?estado=1`);
  await call('the notifications with faults', `GET ${path}?estado=3&page=x`);
}
