// balcao trigger: plays a situation in a sandbox, and prints the events and payments that result.
import type { Command } from 'commander';
import { loadTriggers } from '../sandbox.ts';
import { addGatewayOptions, connectGateway, type GatewayOptions } from './gateway.ts';
import { wantsJson, printResult } from './operate.ts';
import { alignRows, findMoney, createArgumentParser, UsageError, type Shell } from './shell.ts';

type Options = GatewayOptions & { amount: number; pos: string };

const readKwanzas = createArgumentParser((text) => {
  const amount = Number(findMoney(text, 'AOA') ?? NaN);
  return amount > 0 ? amount : null;
}, 'an amount above 0, such as 1500 or 1500.50');

export const commands = { trigger: defineTrigger };

function defineTrigger(command: Command, shell: Shell): void {
  command
    .argument('<situation>', 'the situation to play; list prints all of them')
    .option('--amount <kwanzas>', 'amount of each payment', readKwanzas, 1500)
    .option('--pos <id>', 'the terminal that terminal.open moves', 'demo-pos')
    .option('--sandbox-password <password>', 'SANDBOX_PASSWORD of the gateway, if it has one');
  addGatewayOptions(command)
    .addHelpText('after', '\nIt uses the public API, and /sandbox for the actions of payers.')
    .action((name: string, options: Options) => play(name, options, { command, shell }));
}

type CommandIo = { command: Command; shell: Shell };

async function play(name: string, options: Options, { command, shell }: CommandIo): Promise<void> {
  const { TRIGGERS, playTrigger, describePayment } = await loadTriggers();
  const list = alignRows(Object.entries(TRIGGERS).map(([event, { about }]) => [event, about]));
  if (name === 'list') {
    const json = Object.entries(TRIGGERS).map(([event, { about }]) => ({ event, about }));
    return printResult(shell, command, { text: list, json });
  }
  const trigger = Object.hasOwn(TRIGGERS, name) ? TRIGGERS[name] : undefined;
  if (!trigger) throw new UsageError(`There is no situation ${name}. The situations:\n\n${list}`);
  const gateway = connectGateway(options, shell.env);
  const played = await playTrigger(trigger, {
    gateway,
    clock: shell.clock,
    amount: options.amount,
    posId: options.pos,
    onEvent({ type, status }) {
      if (!wantsJson(command)) shell.say(`  ${[type.padEnd(28), status].join(' ').trimEnd()}`);
    },
  });
  printResult(shell, command, {
    text: played.payments.map(describePayment).join('\n'),
    json: { trigger: name, ...played },
  });
}
