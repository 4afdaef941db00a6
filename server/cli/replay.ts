// balcao replay: the gateway sends callbacks again, one by its id or all that fit a filter.
import { z } from 'zod';
import type { DeliveryStatus } from '../webhooks/entities.ts';
import { textOf, UsageError, type Call, type Command } from './command.ts';
import { connectGateway, GATEWAY_OPTIONS, type Gateway } from './gateway.ts';

const STATUSES = ['Pending', 'Delivered', 'Abandoned', 'Skipped'] as const satisfies readonly DeliveryStatus[];
const FILTERS = ['status', 'from', 'to', 'payment', 'kind'] as const;
const KINDS = ['callback', 'webhook'];

export const replay: Command = {
  usage: '<deliveryId> | [--status abandoned] [--from time] [--to time] [--payment id] [options]',
  options: {
    status: { type: 'string', value: 'status', about: `${STATUSES.join(', ')} (Abandoned and Skipped)` },
    from: { type: 'string', value: 'time', about: 'made at or after, such as 2027-03-01T08:00:00Z' },
    to: { type: 'string', value: 'time', about: 'made before' },
    payment: { type: 'string', value: 'id', about: 'of this payment: its internalId, or a payment reference' },
    kind: { type: 'string', value: 'kind', about: `${KINDS.join(' or ')} (both)` },
    ...GATEWAY_OPTIONS,
  },
  notes: `What is sent again is due at once and repeated for up to 72 hours, at the endpoint that the merchant has now.`,
  async run(call, { env }) {
    const [deliveryId, ...others] = call.positionals;
    const filter = readFilter(call);
    if (others.length > 0 || (deliveryId && Object.keys(filter).length > 0))
      throw new UsageError('Name one delivery, or a filter.');
    if (deliveryId && !z.uuid().safeParse(deliveryId).success)
      throw new UsageError(`${deliveryId} is no id of a delivery: GET /api/callbacks lists them.`);
    const gateway = connectGateway(call, env);
    return deliveryId ? replayOne(gateway, deliveryId) : replayMany(gateway, filter);
  },
};

type Filter = { [name in (typeof FILTERS)[number]]?: string };

/** @throws UsageError */
function readFilter(call: Call): Filter {
  const given = FILTERS.flatMap((name) => {
    const text = textOf(call, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  for (const [name, text] of given) CHECKS[name](text, `--${name}`);
  return Object.fromEntries(given);
}

const CHECKS: Record<(typeof FILTERS)[number], (text: string, flag: string) => void> = {
  status: (text, flag) => requireOneOf(STATUSES, text, flag),
  kind: (text, flag) => requireOneOf(KINDS, text, flag),
  from: requireTime,
  to: requireTime,
  payment(text, flag) {
    if (!/^[\w-]{1,64}$/.test(text)) throw new UsageError(`${flag} must be an internalId or a payment reference`);
  },
};

function requireOneOf(known: readonly string[], text: string, flag: string): void {
  if (!known.some((word) => word.toLowerCase() === text.toLowerCase()))
    throw new UsageError(`${flag} must be one of ${known.join(', ')}`);
}

function requireTime(text: string, flag: string): void {
  if (!z.iso.datetime({ offset: true }).safeParse(text).success)
    throw new UsageError(`${flag} must be a time such as 2027-03-01T08:00:00Z`);
}

const listed = z.looseObject({ id: z.string(), status: z.string(), type: z.string() });

async function replayOne(gateway: Gateway, id: string) {
  const delivery = await gateway.ask(listed, 'POST', `/api/callbacks/${id}/replay`);
  return { text: `${delivery.type} ${delivery.id} is sent again.`, json: delivery };
}

async function replayMany(gateway: Gateway, { payment, ...filter }: Filter) {
  const known = payment && (await gateway.ask(z.object({ internalId: z.string() }), 'GET', `/api/payments/${payment}`));
  const body = { ...filter, ...(known && { paymentId: known.internalId }) };
  const { replayed } = await gateway.ask(z.object({ replayed: z.int() }), 'POST', '/api/callbacks/replay', { body });
  const text = replayed === 1 ? '1 delivery is sent again.' : `${replayed} deliveries are sent again.`;
  return { text, json: { replayed } };
}
