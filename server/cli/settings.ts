// balcao config: every setting of this machine's gateway, with its value in force.
import { listConfig, readConfig } from '../config.ts';
import { alignRows, type Command } from './command.ts';

export const settings: Command = {
  usage: '[--json]',
  options: {},
  async run(_call, { env }) {
    const listed = listConfig(readConfig(env));
    const rows = listed.map(({ name, value, about }) => [name, `${value.padEnd(24)}  ${about}`]);
    return { text: alignRows(rows), json: listed };
  },
};
