// Rail accounts and their connectors as the API answers them, and how each is named to a shop's owner.
import type { Badge } from '../../parts.tsx';
import { find, type ConsoleTextKey, type ConsoleTexts } from '../../words.ts';

/** What is read of a JSON Schema. */
export type Schema = {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: string[];
};

export type Connector = { name: string; kinds: string[]; settings: Schema; secrets: Schema };
export type Connectors = { data: Connector[] };

export type RailAccount = {
  id: string;
  kind: string;
  connector: string;
  label: string;
  environment: string;
  priority: number;
  status: 'active' | 'draining' | 'disabled';
  settings: Record<string, unknown>;
  secretsSetAt: string;
  verifiedAt: string | null;
  notificationUrl: string;
};

/** Providers by the names that their contracts have. */
const NAMES: Record<string, string> = {
  appypay: 'AppyPay',
  proxypay: 'ProxyPay',
  opg: 'ProxyPay OPG · vPOS',
  kambasms: 'KambaSMS',
  ombala: 'Ombala · GoSMS',
};

export const nameOf = (connector: string) => NAMES[connector] ?? connector;
export const kindOf = (t: ConsoleTexts, kind: string) => find(t, `rail.kind.${kind}`) ?? kind;

type Sign = Pick<Parameters<typeof Badge>[0], 'icon' | 'look'> & { text: ConsoleTextKey };

/** Whether it takes payments now, and was ever seen to work. */
export function signOf({ status, verifiedAt }: RailAccount): Sign {
  if (status === 'disabled') return { icon: 'close', look: 'quiet', text: 'rail.state.disabled' };
  if (status === 'draining') return { icon: 'clock', look: 'warning', text: 'rail.state.draining' };
  if (!verifiedAt) return { icon: 'clock', look: 'warning', text: 'rail.state.untried' };
  return { icon: 'check', look: 'success', text: 'rail.state.active' };
}
