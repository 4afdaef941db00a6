// Names the schemas of the OpenAPI document: each body, each answer and each object inside of them.
// Program generators make one type of each named schema, and invent names for the others.

type Json = Record<string, any>;
type Operation = { operationId: string; requestBody?: { content: Json }; responses: Json };

/** Names of answers. Lists are named by their entries, and request bodies by their operation. */
const ANSWERS: Record<string, string> = {
  readJwks: 'SigningKeys',
  readAuthorizationServer: 'AuthorizationServer',
  listCashiers: 'CashierList',
  readPaymentHistory: 'PaymentHistory',
  syncPayment: 'PaymentMessage',
  cancelPayment: 'PaymentMessage',
  readReferenceHistory: 'ReferenceHistory',
  createReferences: 'CreatedReferences',
  readCurrentShift: 'CurrentShift',
  createMerchant: 'CreatedMerchant',
  payCheckoutByReference: 'CheckoutReference',
  readHealth: 'Health',
  readReadiness: 'Readiness',
  readInterface: 'InterfaceDocument',
  listProblems: 'ProblemCodeList',
  readProblem: 'ProblemCode',
};

/** Names of request bodies that several operations share. Other bodies have the name of their operation. */
const BODIES: Record<string, string> = {
  resendVerification: 'EmailRequest',
  confirmTotp: 'TotpCode',
  exportPersonalData: 'PersonalDataRequest',
  payCheckoutByReference: 'EmptyRequest',
};

/** Names of objects inside of a schema, by the name that they would have: the schema's name and the field's name. */
const PARTS: Record<string, string> = {
  CreateReferencesReference: 'CreateReference',
  ProblemError: 'FieldFault',
  RequestErrorFault: 'LoggedFault',
  ProblemLine: 'MatchingBankLine',
  CreatedPaymentCustomer: 'Customer',
  CreatedPaymentFailure: 'PaymentFailure',
  CreatedPaymentTransaction: 'Transaction',
  CreatedPaymentQrCode: 'QrCode',
  PaymentSumsSum: 'PaymentSum',
  PaymentMethodsMethod: 'PaymentMethod',
  PaymentHistoryData: 'PaymentHistoryEntry',
  PaymentHistoryDataActor: 'Actor',
  ReferenceHistoryData: 'ReferenceHistoryEntry',
  RefundableData: 'RefundableTransaction',
  MovementAccount: 'RailAccountName',
  ListedSettlementChangedAfterClose: 'ChangeAfterClose',
  ShiftCashier: 'Cashier',
  ImportStatementLine: 'StatementLineChoice',
  ImportSmsContactsContacto: 'ImportedSmsContact',
  ReferenceSmsPreviewMensagen: 'ReferenceSmsPreviewMensagem',
  PersonalDataColumnsValueValue: 'PersonalDataColumn',
  UsageData: 'UsageMonth',
  UsageDataAmount: 'UsageAmount',
  UsageDataRefunds: 'UsageRefunds',
  FormFieldPropertiesValue: 'FormFieldPart',
};

/** The schema's own JSON without its description, by which equal shapes are recognized. */
const shapeOf = (schema: Json) => JSON.stringify({ ...schema, description: undefined });

const capitalize = (word: string) => word[0]!.toUpperCase() + word.slice(1);

/** Names every object of the document. Equal shapes have one name. @throws if two shapes would have one name */
export function nameSchemas(document: Json): void {
  const schemas: Record<string, Json> = document['components'].schemas;
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [shapeOf(schema), name]));
  const operations: Operation[] = Object.values<Json>(document['paths']).flatMap((methods) => Object.values(methods));
  for (const { operationId, requestBody, responses } of operations) {
    for (const media of Object.values<Json>(requestBody?.content ?? {}))
      media['schema'] = refer(media['schema'], BODIES[operationId] ?? capitalize(operationId));
    for (const { content = {} } of Object.values<Json>(responses))
      for (const media of Object.values<Json>(content))
        if (media['schema'] && !media['schema'].$ref && media['schema'].type !== 'string')
          media['schema'] = refer(media['schema'], nameAnswer(operationId, media['schema']));
  }
  // Objects inside of a new schema are named too, because the loop reaches the schemas that it adds.
  for (let done = 0; done < Object.keys(schemas).length; done++) {
    const [name, schema] = Object.entries(schemas)[done]!;
    nameParts(schema, name);
  }

  function refer(schema: Json, name: string): Json {
    if (schema['$ref']) return schema;
    const { description, ...shape } = schema;
    const key = shapeOf(schema);
    const known = names.get(key) ?? name;
    if (!names.has(key)) {
      if (schemas[name]) throw new Error(`two schemas are named ${name}: name one in server/http/openapi-schemas.ts`);
      schemas[name] = shape;
      names.set(key, name);
    }
    return { $ref: `#/components/schemas/${known}`, ...(description && { description }) };
  }

  /** Names the objects inside of a schema by the schema's name and the field's name. */
  function nameParts(schema: Json, name: string): void {
    for (const [field, part] of Object.entries<Json>(schema['properties'] ?? {}))
      schema['properties'][field] = namePart(part, name + capitalize(field));
    if (schema['additionalProperties'])
      schema['additionalProperties'] = namePart(schema['additionalProperties'], `${name}Value`);
    if (schema['items']) schema['items'] = namePart(schema['items'], singular(name));
    for (const among of ['anyOf', 'oneOf', 'allOf'])
      schema[among] &&= schema[among].map((part: Json) => namePart(part, name + variantOf(part)));
  }

  function namePart(given: Json, name: string): Json {
    const part = joinNull(given);
    if (typeof part !== 'object' || Object.keys(part['properties'] ?? {}).length === 0) {
      if (typeof part === 'object') nameParts(part, name);
      return part;
    }
    const { type, ...shape } = part;
    if (!Array.isArray(type)) return refer(part, PARTS[name] ?? name);
    const { description, ...object } = shape;
    return {
      anyOf: [refer({ type: 'object', ...object }, PARTS[name] ?? name), { type: 'null' }],
      ...(description && { description }),
    };
  }
}

/** Writes null as a second type, as generators understand it best. Only a named schema needs `anyOf` beside null. */
function joinNull(schema: Json): Json {
  const { anyOf, ...other } = schema;
  const [one, two] = anyOf ?? [];
  if (anyOf?.length !== 2 || two.type !== 'null' || typeof one.type !== 'string') return schema;
  return { ...one, ...other, type: [one.type, 'null'], ...(one.enum && { enum: [...one.enum, null] }) };
}

/** The distinguishing value of an alternative, such as `Proxypay` of a rail account with `connector: 'proxypay'`. */
function variantOf({ properties = {} }: Json): string {
  const only = Object.values<Json>(properties).find((each) => 'const' in each)?.['const'];
  return typeof only === 'string' ? only.split(/\W+|_/).filter(Boolean).map(capitalize).join('') : '';
}

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/(ss)$|s$/, '$1');

function nameAnswer(operationId: string, { properties = {} }: Json): string {
  const known = ANSWERS[operationId];
  if (known) return known;
  const entry: string | undefined = properties['data']?.items?.$ref?.split('/').at(-1);
  if (!entry) return `${capitalize(operationId)}Answer`;
  const noun = entry.replace(/^Listed/, '');
  return properties['next'] || properties['pageNumber'] ? `${noun}Page` : `${noun}List`;
}
