// All connectors by name. Other modules find a connector only through this table.
import { appypay } from './appypay/connector.ts';
import { balcao } from './balcao.ts';
import type { Connector, ConnectorName } from './connector.ts';
import { KAMBASMS } from './kambasms/connector.ts';
import { OMBALA } from './ombala/connector.ts';
import { opgConnector } from './opg/connector.ts';
import { proxypay } from './proxypay/connector.ts';

/** Connectors of rail accounts: all except `balcao`, which serves the operator's settings. */
export const CONNECTORS: Partial<Record<ConnectorName, Connector>> = {
  balcao,
  appypay,
  proxypay,
  opg: opgConnector,
  kambasms: KAMBASMS,
  ombala: OMBALA,
};
