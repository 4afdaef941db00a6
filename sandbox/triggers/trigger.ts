// balcao trigger: makes a sandbox produce a situation, and tells the events that come of it.
import { z } from 'zod';
import {
  alignRows,
  CommandError,
  readMoney,
  textOf,
  UsageError,
  type Call,
  type Command,
  type Output,
  type Shell,
} from '../../server/cli/command.ts';
import { eventPage, type FeedEvent } from '../../server/cli/follow.ts';
import { connectGateway, GATEWAY_OPTIONS, type Gateway } from '../../server/cli/gateway.ts';
import { madeSchema, type Made, type Scene } from './trigger-context.ts';
import { undoAll } from './trigger-steps.ts';
import { TRIGGERS, type Trigger } from './triggers.ts';

const LIST = alignRows(Object.entries(TRIGGERS).map(([name, { about }]) => [name, about]));

export const trigger: Command = {
  usage: '<event> [options], or list',
  options: {
    amount: { type: 'string', value: 'kwanzas', default: '1500', about: 'of each payment' },
    pos: { type: 'string', value: 'id', default: 'demo-pos', about: 'the terminal that terminal.open moves' },
    'sandbox-password': { type: 'string', value: 'password', about: 'SANDBOX_PASSWORD of the gateway, if it has one' },
    ...GATEWAY_OPTIONS,
  },
  notes: `Events:\n\n${LIST}\n\nEverything goes through the public API, and what payers do through /sandbox.`,
  async run(call, shell) {
    const [name = '', ...others] = call.positionals;
    if (name === 'list')
      return { text: LIST, json: Object.entries(TRIGGERS).map(([event, { about }]) => ({ event, about })) };
    const chosen = Object.hasOwn(TRIGGERS, name) ? TRIGGERS[name] : undefined;
    if (!chosen || others.length > 0) throw new UsageError(`Name one event of these:\n\n${LIST}`);
    const amount = Number(readMoney(textOf(call, 'amount') ?? '', '--amount', 'AOA'));
    if (!(amount > 0)) throw new UsageError('--amount must be more than 0');
    const gateway = connectGateway(call, shell.env);
    await requireSandbox(gateway);
    return play(call, chosen, await openScene({ call, shell, gateway, amount }));
  },
};

/** Elsewhere the test phones are somebody's. @throws CommandError */
async function requireSandbox(gateway: Gateway): Promise<void> {
  try {
    await gateway.askSandbox(z.looseObject({ mode: z.string() }), 'GET', '/sandbox/callbacks');
  } catch (error) {
    if (!(error instanceof CommandError) || error.status !== 404) throw error;
    throw new CommandError(`${gateway.url} is no sandbox: triggers need its simulated rails.`);
  }
}

type Opening = { call: Call; shell: Shell; gateway: Gateway; amount: number };

async function openScene({ call, shell, gateway, amount }: Opening): Promise<Scene> {
  const { next: cursor } = await gateway.ask(eventPage, 'GET', '/api/events?after=now&limit=1');
  const posId = textOf(call, 'pos') ?? '';
  const onEvent = (event: FeedEvent) => {
    if (!call.isJson) shell.say(`  ${[event.type.padEnd(28), event.status].join(' ').trimEnd()}`);
  };
  return {
    gateway,
    clock: shell.clock,
    amount,
    posId,
    made: [],
    subjects: new Set(),
    events: [],
    cursor,
    onEvent,
    undo: [],
  };
}

async function play(call: Call, { steps }: Trigger, scene: Scene): Promise<Output> {
  try {
    for (const step of steps) await step(scene);
  } finally {
    await undoAll(scene);
  }
  const payments: Made[] = [];
  for (const { internalId } of scene.made)
    payments.push(await scene.gateway.ask(madeSchema, 'GET', `/api/payments/${internalId}`));
  const events = scene.events.map(({ id, type, paymentId, status, details }) => ({
    id,
    type,
    paymentId,
    status,
    details,
  }));
  return { text: payments.map(describePayment).join('\n'), json: { trigger: call.positionals[0], payments, events } };
}

function describePayment({ internalId, entity, reference, amount, currency, status, checkoutUrl }: Made): string {
  const digits = [...(entity ? [`entity ${entity}`] : []), `reference ${reference}`].join(', ');
  return `${status}: payment ${internalId}, ${digits}, ${amount} ${currency}\n  ${checkoutUrl}`;
}
