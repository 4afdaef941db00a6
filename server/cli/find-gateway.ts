// Which gateway a command means: the one it is told, else the one that this environment's own settings or data folder lead to.
import { localUrlOf, readConfig } from '../config.ts';
import { readOwner } from '../database/embedded/data-folder-lock.ts';
import { UsageError, type Shell } from './command.ts';

/** `hint` says how the address came about, for when nothing answers there; empty where it was told. */
export type FoundGateway = { url: string; hint: string };

const ANOTHER = '--url names another gateway.';
const sayFrom = (where: string) => ` Its address is from ${where}; ${ANOTHER}`;

/** @param told by `--url`. @throws UsageError when that is no address, ConfigError when the environment is wrong */
export function findGateway(told: string | undefined, env: Shell['env']): FoundGateway {
  if (told !== undefined) return { url: readUrl('url', told).origin, hint: '' };
  const config = readConfig(env);
  const { PUBLIC_URL, PORT, DATABASE_URL, DATA_DIR } = config;
  if (PUBLIC_URL) return { url: new URL(PUBLIC_URL).origin, hint: sayFrom('PUBLIC_URL') };
  const own = localUrlOf(config, PORT || DEFAULT_PORT);
  if (config.isPortGiven) return { url: own, hint: sayFrom('PORT') };
  // With a database elsewhere nobody owns a folder.
  const running = DATABASE_URL ? undefined : readOwner(DATA_DIR)?.gatewayUrl;
  if (running) return { url: running, hint: sayFrom(`the data folder ${DATA_DIR}`) };
  const none = `Neither PUBLIC_URL nor PORT is set${DATABASE_URL ? '' : `, and no gateway runs on the data folder ${DATA_DIR}`}`;
  return { url: own, hint: ` ${none}; ${ANOTHER}` };
}

/** What `PORT=0` asks for has no number that can be known. */
const DEFAULT_PORT = 8080;

/** @throws UsageError */
export function readUrl(flag: string, text: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text);
  throw new UsageError(`--${flag} must be an address such as http://localhost:8080, not ${text}`);
}
