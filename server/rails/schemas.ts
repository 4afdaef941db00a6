// Request and answer schemas of rail accounts. Each connector defines the schema of its settings and secrets.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { singleLine, requiredInteger, uuidText } from '../http/fields.ts';
import { faultsOf } from '../http/validate.ts';
import { checkResolves, checkUrl } from '../http/client/guard.ts';
import { invalidFields, type Fault } from '../http/problem.ts';
import { byMerchant } from '../merchants/find.ts';
import { RAIL_ENVIRONMENTS, RAIL_KINDS, type Connector } from '../providers/connector.ts';
import { CONNECTORS } from '../providers/registry.ts';
import { notificationUrlOf } from './notification-url.ts';
import { RAIL_STATUSES, type RailAccount } from './entities.ts';

/** The connectors for rail accounts. `balcao` is missing, because it serves only the operator's settings. */
export const ACCOUNT_CONNECTORS: Connector[] = Object.values(CONNECTORS).filter(({ name }) => name !== 'balcao');

const common = {
  label: singleLine(60).describe('A name for people, shown in refusals, lists and the history'),
  environment: z.enum(RAIL_ENVIRONMENTS).describe('`test` in the sandbox, `live` in production'),
  priority: requiredInteger(0, 1000).describe('The account with the lowest number is chosen first'),
};

function unionOf(fieldsOf: (connector: Connector) => z.ZodRawShape) {
  const bodies = ACCOUNT_CONNECTORS.map((connector) =>
    z.object({
      connector: z.literal(connector.name),
      kind: z.enum(connector.kinds as readonly ['gpo']).describe('`gpo`: push and QR code; `ppr`: reference; `sms`'),
      ...common,
      settings: connector.settings,
      ...fieldsOf(connector),
    }),
  );
  return z.discriminatedUnion('connector', bodies as unknown as [RailBody, ...RailBody[]]);
}

type RailBody = z.ZodObject<{
  connector: z.ZodLiteral<string>;
  kind: z.ZodEnum<{ gpo: 'gpo'; ppr: 'ppr'; sms: 'sms' }>;
  label: z.ZodString;
  environment: typeof common.environment;
  priority: z.ZodType<number>;
  settings: z.ZodType<Record<string, unknown>>;
  secrets: z.ZodType<Record<string, unknown> | undefined>;
  status: z.ZodType<(typeof RAIL_STATUSES)[number] | undefined>;
}>;

const status = z.enum(RAIL_STATUSES).optional();

/** Body of `POST …/rail-accounts`. */
export const railCreation = unionOf(({ secrets }) => ({ secrets, status: status.describe('Default: active') }));

/** Body of `PUT …/rail-accounts/{railAccountId}`. */
export const railChange = unionOf(({ secrets }) => ({
  secrets: secrets.optional().describe('Absent: unchanged'),
  status: status.describe('`draining`: the account takes no new work. Absent: unchanged'),
}));

export type RailAccountRequest = z.output<typeof railCreation>;

export const byAccount = byMerchant.extend({
  railAccountId: uuidText.describe('The `id` of a rail account'),
});

/** Checks a rail account's environment, required settings and URLs. Merchants enter hosts, so only public ones pass. */
export async function findRailFaults({ config }: Pick<Core, 'config'>, input: unknown): Promise<Fault[]> {
  const { environment, kind, connector: name, settings } = (input ?? {}) as Record<string, unknown>;
  const allowed = config.isSandbox ? 'test' : 'live';
  const isWrong = (RAIL_ENVIRONMENTS as readonly unknown[]).includes(environment) && environment !== allowed;
  const faults: Fault[] = isWrong
    ? [{ pointer: '/environment', code: 'environment_not_allowed', params: { value: environment, allowed } }]
    : [];
  const connector = ACCOUNT_CONNECTORS.find((one) => one.name === name);
  const parsed = connector?.settings.safeParse(settings);
  const gaps = connector && parsed?.success ? connector.findMissingSettings?.(kind as 'gpo', parsed.data) : [];
  faults.push(...(gaps ?? []).map((gap): Fault => ({ pointer: `/settings${gap}`, code: 'setting_missing' })));
  const guard = { allowLoopback: config.isSandbox };
  for (const [field, url] of Object.entries((settings ?? {}) as Record<string, unknown>)) {
    if (!field.endsWith('Url') || typeof url !== 'string') continue;
    const reason = checkUrl(url, guard) ?? (await checkResolves(url, guard));
    if (reason) faults.push({ pointer: `/settings/${field}`, code: 'url_not_allowed', params: { reason } });
  }
  return faults;
}

/** Parses the body that creates or changes a rail account. @throws Problem 400 with every fault */
export async function readRail(
  core: Pick<Core, 'config'>,
  schema: typeof railCreation | typeof railChange,
  input: unknown,
): Promise<RailAccountRequest> {
  const parsed = schema.safeParse(input);
  const faults = [...(parsed.error ? faultsOf(parsed.error, input) : []), ...(await findRailFaults(core, input))];
  if (faults.length > 0) throw invalidFields(faults);
  return parsed.data as RailAccountRequest;
}

const iso = z.iso.datetime();

export const railAnswer = z
  .object({
    id: z.uuid(),
    kind: z.enum(RAIL_KINDS),
    connector: z.string(),
    label: z.string(),
    environment: z.enum(RAIL_ENVIRONMENTS),
    priority: z.int(),
    status: z.enum(RAIL_STATUSES),
    settings: z.looseObject({}).describe('As they were sent'),
    hasSecrets: z.boolean().describe('Always true. No answer contains secrets'),
    secretsSetAt: iso,
    verifiedAt: iso.nullable().describe('Time of the last successful test of the credentials'),
    capabilities: z
      .looseObject({ kind: z.enum(RAIL_KINDS) })
      .describe('The supported operations; a payment that needs another operation is refused at creation'),
    notificationUrl: z
      .url()
      .describe('Enter it at the provider. A notification without proof only makes Balcão query it'),
    createdAt: iso,
  })
  .meta({ id: 'RailAccount' });

export function viewRail(core: Pick<Core, 'keyring' | 'publicUrl'>, account: RailAccount) {
  const { id, kind, connector, label, environment, priority, status, settings, secretsSetAt, createdAt } = account;
  const capabilities = CONNECTORS[connector as keyof typeof CONNECTORS]?.capabilities(kind, settings);
  return {
    id,
    kind,
    connector,
    label,
    environment,
    priority,
    status,
    settings,
    hasSecrets: true,
    secretsSetAt,
    verifiedAt: account.verifiedAt ?? null,
    capabilities: capabilities ?? { kind },
    notificationUrl: notificationUrlOf(core, { id, connector }),
    createdAt,
  };
}
