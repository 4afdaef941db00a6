// The connectors, by name: who knows one of them knows it by this table.
import { appypay } from './appypay/connector.ts';
import { balcao } from './balcao.ts';
import type { Connector, ConnectorName } from './connector.ts';
import { KAMBASMS } from './kambasms/connector.ts';
import { OMBALA } from './ombala/connector.ts';
import { opgConnector } from './opg/connector.ts';
import { proxypay } from './proxypay/connector.ts';

/** Those that accounts are made with; the rails of our own protocol are the operator's settings (`balcao`). */
export const CONNECTORS: Partial<Record<ConnectorName, Connector>> = {
  balcao,
  appypay,
  proxypay,
  opg: opgConnector,
  kambasms: KAMBASMS,
  ombala: OMBALA,
};
