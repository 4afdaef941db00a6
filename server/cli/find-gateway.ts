// Finds the gateway that a command calls: `--url`, else the settings, else the node that runs on the data folder.
import { localUrlOf, readConfig } from '../config.ts';
import { readOwner } from '../database/embedded/data-folder-lock.ts';
import type { Shell } from './shell.ts';

/** The gateway of a command. `hint` names the source of `url`, for errors if no gateway answers. Empty with `--url`. */
export type FoundGateway = { url: string; hint: string };

const hintOf = (where: string) => ` Its address is from ${where}. --url names another gateway.`;

/** The port to try if the gateway's port is unknown, as with `PORT=0`, where the system chooses a port. */
const DEFAULT_PORT = 8080;

/** Finds the gateway's URL. @param named the URL from `--url`. @throws ConfigError if the environment is invalid */
export function findGateway(named: URL | undefined, env: Shell['env']): FoundGateway {
  if (named) return { url: named.origin, hint: '' };
  const config = readConfig(env);
  const { PUBLIC_URL, PORT, DATABASE_URL, DATA_DIR } = config;
  if (PUBLIC_URL) return { url: new URL(PUBLIC_URL).origin, hint: hintOf('PUBLIC_URL') };
  const own = localUrlOf(config, PORT || DEFAULT_PORT);
  if (config.isPortGiven) return { url: own, hint: hintOf('PORT') };
  // Only a node with the embedded database records its URL in the data folder.
  const running = DATABASE_URL ? undefined : readOwner(DATA_DIR)?.gatewayUrl;
  if (running) return { url: running, hint: hintOf(`the data folder ${DATA_DIR}`) };
  const noNode = DATABASE_URL ? '' : `, and no gateway runs on the data folder ${DATA_DIR}`;
  return { url: own, hint: ` Neither PUBLIC_URL nor PORT is set${noNode}. --url names another gateway.` };
}
