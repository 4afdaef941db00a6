// GET /api/rail-connectors: whose contracts can be entered, and what each asks for, as the connectors declare it.
import { z } from 'zod';
import { route, type Route } from '../http/route.ts';
import { RAIL_KINDS } from '../providers/connector.ts';
import { OFFERED } from './schemas.ts';

const leaf = { type: z.string().optional(), enum: z.array(z.string()).optional() };
const required = z.array(z.string()).optional();
const field = z
  .looseObject({ ...leaf, required, properties: z.record(z.string(), z.looseObject(leaf)).optional() })
  .meta({ id: 'FormField', description: 'A field, or a group of fields' });

/** The part of JSON Schema that a form needs. Fields nest one level deep, so the document needs no recursive schema. */
const formSchema = z
  .looseObject({ type: z.literal('object'), required, properties: z.record(z.string(), field) })
  .meta({ id: 'FormSchema' });

const connectorAnswer = z
  .object({
    name: z.string().describe('`connector` of a rail account'),
    kinds: z.array(z.enum(RAIL_KINDS)),
    settings: formSchema.describe('What its `settings` must be: JSON Schema 2020-12'),
    secrets: formSchema.describe('Likewise its `secrets`'),
  })
  .meta({ id: 'RailConnector' });

export function listConnectors() {
  return OFFERED.map(({ name, kinds, settings, secrets }) => ({
    name,
    kinds: [...kinds],
    settings: z.toJSONSchema(settings, { io: 'input' }),
    secrets: z.toJSONSchema(secrets, { io: 'input' }),
  }));
}

export function declareConnectors(): Route {
  // Nothing in them changes while the node runs.
  const data = listConnectors();
  return route({
    method: 'GET',
    path: '/api/rail-connectors',
    operationId: 'listRailConnectors',
    tag: 'Rails',
    summary: 'Acquirers whose contracts can be entered',
    description: 'With the fields of each, so that a form can be made of them.',
    access: { kind: 'bearer', scope: 'rails:write' },
    bucket: 'read',
    answers: { 200: { description: 'All of them', schema: z.object({ data: z.array(connectorAnswer) }) } },
    run: () => ({ status: 200, body: { data } }),
  });
}
