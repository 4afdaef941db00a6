// GET /api/rail-connectors: the available connectors, with the schemas of their settings and secrets.
import { z } from 'zod';
import { route, type Route } from '../http/route.ts';
import { RAIL_KINDS } from '../providers/connector.ts';
import { ACCOUNT_CONNECTORS } from './schemas.ts';

const leaf = { type: z.string().optional(), enum: z.array(z.string()).optional() };
const required = z.array(z.string()).optional();
const field = z
  .looseObject({ ...leaf, required, properties: z.record(z.string(), z.looseObject(leaf)).optional() })
  .meta({ id: 'FormField', description: 'A field, or a group of fields' });

/** The part of JSON Schema that a form for rail accounts needs. It is not recursive: fields nest one level deep. */
const formSchema = z
  .looseObject({ type: z.literal('object'), required, properties: z.record(z.string(), field) })
  .meta({ id: 'FormSchema' });

const connectorAnswer = z
  .object({
    name: z.string().describe('`connector` of a rail account'),
    kinds: z.array(z.enum(RAIL_KINDS)),
    settings: formSchema.describe('JSON Schema 2020-12 of `settings`'),
    secrets: formSchema.describe('JSON Schema 2020-12 of `secrets`'),
  })
  .meta({ id: 'RailConnector' });

export function listConnectors() {
  return ACCOUNT_CONNECTORS.map(({ name, kinds, settings, secrets }) => ({
    name,
    kinds: [...kinds],
    settings: z.toJSONSchema(settings, { io: 'input' }),
    secrets: z.toJSONSchema(secrets, { io: 'input' }),
  }));
}

export function declareConnectors(): Route {
  // The connectors' schemas do not change while the node runs, so they are built once.
  const data = listConnectors();
  return route({
    method: 'GET',
    path: '/api/rail-connectors',
    operationId: 'listRailConnectors',
    tag: 'Rails',
    summary: 'List the available connectors',
    description: 'Each connector has the schemas of its settings and secrets, from which a client can build a form.',
    access: { kind: 'bearer', scope: 'rails:write' },
    bucket: 'read',
    answers: { 200: { description: 'All connectors', schema: z.object({ data: z.array(connectorAnswer) }) } },
    run: () => ({ status: 200, body: { data } }),
  });
}
