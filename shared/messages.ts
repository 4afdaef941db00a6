// The messages of field errors, by fault code, in English and Portuguese.
import { sayRule } from './field-rules.ts';

type Message = { en: string; pt: string };

/** Texts of `errors[].message`. The fault's parameters replace each `{name}`. */
export const MESSAGES = {
  required: { en: 'is required', pt: 'é obrigatório' },
  invalid_type: { en: 'must be of type {expected}', pt: 'deve ser do tipo {expected}' },
  invalid_value: { en: 'must be one of: {values}', pt: 'deve ser um destes valores: {values}' },
  unknown_field: { en: 'unknown field', pt: 'campo desconhecido' },
  unknown_parameter: {
    en: 'unknown parameter. This list accepts: {values}',
    pt: 'parâmetro desconhecido. Esta lista aceita: {values}',
  },
  unknown_payment_method: {
    en: 'is unknown, so the payment is a `webframe`. Known: {values}',
    pt: 'é desconhecido, por isso o pagamento é um `webframe`. Conhecidos: {values}',
  },
  invalid_format: { en: 'has the wrong format', pt: 'tem um formato inválido' },
  too_short: { en: 'must have at least {minimum} characters', pt: 'deve ter pelo menos {minimum} caracteres' },
  too_long: { en: 'must have at most {maximum} characters', pt: 'deve ter no máximo {maximum} caracteres' },
  too_small: { en: 'must be at least {minimum}', pt: 'deve ser no mínimo {minimum}' },
  too_big: { en: 'must be at most {maximum}', pt: 'deve ser no máximo {maximum}' },
  invalid_text: {
    en: 'must not contain NUL characters or lone surrogates',
    pt: 'não pode conter caracteres NUL nem surrogates isolados',
  },
  invalid_phone: {
    en: 'must be an Angolan mobile number: 9 digits starting with 9',
    pt: 'deve ser um número de telemóvel angolano: 9 dígitos a começar por 9',
  },
  invalid_nif: {
    en: 'must be an Angolan tax number (NIF): 10 digits, or the 14 characters of an identity card',
    pt: 'deve ser um NIF: 10 dígitos, ou os 14 caracteres de um bilhete de identidade',
  },
  invalid_url: {
    en: 'must be an http(s) URL of at most 2048 characters',
    pt: 'deve ser um URL http(s) com no máximo 2048 caracteres',
  },
  invalid_date: { en: 'must be an ISO 8601 date and time', pt: 'deve ser uma data e hora ISO 8601' },
  date_in_past: { en: 'must be in the future', pt: 'deve estar no futuro' },
  date_too_far: { en: 'must be at most one year ahead', pt: 'não pode estar a mais de um ano' },
  url_not_allowed: {
    en:
      'must be an https:// address of the public internet, on port 443 or 1024 and above, ' +
      'without user or password ({reason})',
    pt:
      'deve ser um endereço https:// da internet pública, na porta 443 ou a partir da 1024, ' +
      'sem utilizador nem palavra-passe ({reason})',
  },
  invalid_email: { en: 'must be an e-mail address', pt: 'deve ser um endereço de e-mail' },
  password_length: { en: 'must have 12 to 128 characters', pt: 'deve ter 12 a 128 caracteres' },
  password_common: {
    en: 'is too easy to guess: use several unrelated words',
    pt: 'é demasiado fácil de adivinhar: use várias palavras sem relação entre si',
  },
  wrong_password: { en: 'is not your password', pt: 'não é a sua palavra-passe' },
  wrong_code: {
    en: 'must be a valid code that was not used before',
    pt: 'deve ser um código válido que ainda não foi usado',
  },
  unknown_role: {
    en: 'must be the id of a role: see GET /api/roles',
    pt: 'deve ser o id de uma função: veja GET /api/roles',
  },
  unknown_scope: { en: 'must be one of: {values}', pt: 'deve ser um destes valores: {values}' },
  scope_not_grantable: {
    en: 'must be a scope that your own token carries',
    pt: 'deve ser um âmbito que o seu próprio token tenha',
  },
  unknown_plan: {
    en: 'must be the id of an available plan: see GET /api/billing/plans',
    pt: 'deve ser o id de um plano disponível: veja GET /api/billing/plans',
  },
  invalid_origin: {
    en: 'must be an https:// origin without path, such as https://loja.example',
    pt: 'deve ser uma origem https:// sem caminho, como https://loja.example',
  },
  invalid_color: { en: 'must be a colour such as #0a7d4b', pt: 'deve ser uma cor como #0a7d4b' },
  invalid_logo: {
    en: 'must be a PNG, JPEG or WebP as a data: URL, of at most {maximum} bytes and {pixels} pixels a side',
    pt: 'deve ser um PNG, JPEG ou WebP como URL data:, com no máximo {maximum} bytes e {pixels} píxeis de lado',
  },
  search_key_not_named: {
    en: 'is not in the shop’s `searchKeys`: add it there first',
    pt: 'não está nas `searchKeys` da loja: adicione-a lá primeiro',
  },
  date_span: { en: 'must be at most {days} days after `from`', pt: 'não pode estar a mais de {days} dias de `from`' },
  invalid_day: { en: 'must be a date such as 2026-11-30', pt: 'deve ser uma data como 2026-11-30' },
  invalid_access_key: {
    en: 'must be 16 to 256 visible ASCII characters',
    pt: 'deve ter 16 a 256 caracteres ASCII visíveis',
  },
  unknown_event_type: {
    en: 'must be an event type such as payment.paid, or a group such as payment.*',
    pt: 'deve ser um tipo de evento, como payment.paid, ou um grupo, como payment.*',
  },
  date_range: { en: 'must not be before `from`', pt: 'não pode ser anterior a `from`' },
  cursor_invalid: {
    en: 'must be a cursor of this feed, or now',
    pt: 'deve ser um cursor deste feed, ou now',
  },
  invalid_credit: {
    en: 'must be an amount in the settlement’s currency, not 0; negative if the bank debited it',
    pt: 'deve ser um montante na moeda do fecho, diferente de 0; negativo se o banco o debitou',
  },
  invalid_fee: {
    en: 'must be positive: a wrong fee is taken back by its reversal',
    pt: 'deve ser positivo: uma comissão errada anula-se com a sua anulação',
  },
  file_encoding: {
    en: 'must be a text file in UTF-8: save it as “CSV UTF-8”',
    pt: 'deve ser um ficheiro de texto em UTF-8: guarde-o como «CSV UTF-8»',
  },
  file_format: {
    en: 'must be a bank statement as CSV, XLSX, camt.053 or MT940. Save an older Excel file as XLSX',
    pt: 'deve ser um extracto em CSV, XLSX, camt.053 ou MT940. Guarde um ficheiro Excel antigo como XLSX',
  },
  file_empty: {
    en: 'no line of the file has a valid date and amount',
    pt: 'nenhuma linha do ficheiro tem data e montante válidos',
  },
  file_head: {
    en: 'no line of the file contains the names of all these columns',
    pt: 'nenhuma linha do ficheiro contém os nomes de todas estas colunas',
  },
  unknown_line: { en: 'must be the number of a line of the file', pt: 'deve ser o número de uma linha do ficheiro' },
  unknown_settlement: {
    en: 'must be the id of a closed settlement in the currency of the line',
    pt: 'deve ser o id de um fecho na moeda da linha, já fechado',
  },
  page_cursor_invalid: {
    en: 'must be the `next` of a response of this list',
    pt: 'deve ser o `next` de uma resposta desta lista',
  },
  authorization_not_found: {
    en: 'must be the internalId of one of your authorizations',
    pt: 'deve ser o internalId de uma reserva sua',
  },
  capture_exceeds_authorization: {
    en: 'must not exceed the authorized {authorized} {currency}',
    pt: 'não pode exceder o montante reservado de {authorized} {currency}',
  },
  authorization_currency: {
    en: 'must be the currency of the authorization, {currency}',
    pt: 'deve ser a moeda da reserva, {currency}',
  },
  amount_precision: {
    en: 'has more decimals than the currency {currency} allows ({digits})',
    pt: 'tem mais casas decimais do que a moeda {currency} permite ({digits})',
  },
  amount_out_of_range: { en: 'must be between {minimum} and 10000000', pt: 'deve estar entre {minimum} e 10000000' },
  refund_exceeds: {
    en: 'must not exceed the {left} {currency} that can still be refunded',
    pt: 'não pode exceder os {left} {currency} que ainda podem ser devolvidos',
  },
  refund_whole_only: {
    en: 'must be the whole amount, {amount} {currency}: this account refunds whole payments only',
    pt: 'deve ser a totalidade, {amount} {currency}: esta conta só devolve pagamentos inteiros',
  },
  transaction_required: {
    en: 'is required: this payment may have more than one transaction',
    pt: 'é obrigatório: este pagamento pode ter mais de uma transacção',
  },
  unknown_transaction: {
    en: 'must be the id of a transaction of this payment',
    pt: 'deve ser o id de uma transacção deste pagamento',
  },
  refund_day: {
    en: 'must be from {from}, the day of the payment, to {to}, today',
    pt: 'deve ser entre {from}, o dia do pagamento, e {to}, hoje',
  },
  only_manual: {
    en: 'is only for manual refunds: `method` must be `manual`',
    pt: 'é só para devoluções por outra via: `method` deve ser `manual`',
  },
  custom_metadata_not_allowed: {
    en: 'must not be sent here: use metadata.custom',
    pt: 'não pode ser enviado aqui: use metadata.custom',
  },
  custom_too_large: { en: 'must not be larger than 16 KiB', pt: 'não pode ter mais de 16 KiB' },
  custom_too_deep: { en: 'must not nest deeper than 16 levels', pt: 'não pode ter mais de 16 níveis' },
  amount_open_range: {
    en: 'must be 0 (the payer chooses), or between {minimum} and 10000000',
    pt: 'deve ser 0 (o pagador escolhe), ou estar entre {minimum} e 10000000',
  },
  invalid_reference: {
    en: 'must be 9 to 15 digits, as text',
    pt: 'deve ter 9 a 15 dígitos, em texto',
  },
  invalid_expiry: {
    en: 'must be an ISO 8601 date, or date and time (in Luanda’s time if it has no offset)',
    pt: 'deve ser uma data ISO 8601, com ou sem hora (de Luanda, se não indicar o fuso)',
  },
  reference_in_use: {
    en: 'is in use ({entity}): another payment has this reference',
    pt: 'está em uso ({entity}): outro pagamento tem esta referência',
  },
  reference_repeated: {
    en: 'repeats the reference in {pointer}',
    pt: 'repete a referência em {pointer}',
  },
  entity_not_assigned: {
    en: 'needs an entity, and your account has none: add a contract, or ask the operator',
    pt: 'precisa de uma entidade, e a sua conta não tem nenhuma: adicione um contrato, ou fale com o operador',
  },
  environment_not_allowed: {
    en: 'must not be {value}: this gateway accepts {allowed} accounts only',
    pt: 'não pode ser {value}: este gateway só aceita contas {allowed}',
  },
  setting_missing: {
    en: 'is required for an account of this kind',
    pt: 'é obrigatório para uma conta deste tipo',
  },
  kind_fixed: {
    en: 'cannot be changed: create another account',
    pt: 'não pode ser alterado: crie outra conta',
  },
  method_not_supported: {
    en: '{account} does not support {method}, but supports: {can}',
    pt: '{account} não permite {method}, mas permite: {can}',
  },
  amount_not_supported: {
    en: 'is not accepted by {account}, which accepts {min} to {max} in steps of {step}',
    pt: 'não é aceite por {account}, que aceita de {min} a {max} em passos de {step}',
  },
  text_not_supported: {
    en: 'cannot be sent by {account}: {why}',
    pt: 'não pode ser enviado por {account}: {why}',
  },
  opt_out_not_possible: {
    en: '{account} does not support optOutText {way}: choose one of {can}',
    pt: '{account} não permite optOutText {way}: escolha um de {can}',
  },
  payment_method_unavailable: {
    en: '{value} has no rail account yet: add a contract, or ask the operator',
    pt: '{value} ainda não tem conta de cobrança: adicione um contrato, ou fale com o operador',
  },
  gpo_id_not_assigned: {
    en: 'is not assigned to your shop',
    pt: 'não está atribuído à sua loja',
  },
  gpo_id_required: {
    en: 'is required, and your account has none: add a contract, or ask the operator',
    pt: 'é obrigatório e a sua conta não tem nenhum: adicione um contrato, ou fale com o operador',
  },
  origin_not_registered: {
    en: 'must have an origin of your shop: {origin} is not in `returnOrigins`. {operation} sets them',
    pt:
      'deve pertencer a uma origem registada na sua loja: {origin} não está em `returnOrigins`. ' +
      '{operation} define-as',
  },
  sms_too_long: {
    en:
      'needs {parts} parts and may have at most 10: ' +
      '1530 characters of the GSM alphabet, or 670 if it has others{characters}',
    pt:
      'precisa de {parts} partes e pode ter no máximo 10: ' +
      '1530 caracteres do alfabeto GSM, ou 670 se tiver outros{characters}',
  },
  sms_value_missing: { en: 'has no value for {names}', pt: 'faltam os campos {names}' },
  placeholder_malformed: {
    en: 'has braces that do not form a placeholder {{chave}}: a key has letters, digits, . _ and -',
    pt: 'tem chavetas que não formam {{chave}}: uma chave tem letras, dígitos, . _ e -',
  },
  invalid_sender: {
    en: 'must have 1 to 11 letters (without accents) and digits, with at least one letter',
    pt: 'deve ter 1 a 11 letras (sem acentos) e dígitos, com pelo menos uma letra',
  },
  impossible_date: { en: 'is not a valid date', pt: 'não é uma data válida' },
  range_reversed: { en: 'must not be before the first day', pt: 'não pode ser anterior ao primeiro dia' },
  range_too_long: { en: 'must be at most one year after the first day', pt: 'não pode passar de um ano' },
  schedule_too_soon: {
    en: 'must be at least 1 minute ahead (Luanda’s time)',
    pt: 'deve faltar pelo menos 1 minuto (hora de Luanda)',
  },
  only_open_amount: {
    en: 'is allowed only if the payer chooses the amount',
    pt: 'só é permitido se for o pagador a escolher o montante',
  },
  bounds_reversed: { en: 'must not be less than `minAmount`', pt: 'não pode ser inferior a `minAmount`' },
  stock_taken: {
    en: 'must be at least {taken}, the number of open and paid payments',
    pt: 'deve ser no mínimo {taken}, o número de pagamentos em curso e já feitos',
  },
  exactly_one: { en: 'send exactly one of: {fields}', pt: 'envie um e só um de: {fields}' },
  unknown_id: { en: 'no such id', pt: 'id inexistente' },
  currency_not_supported: { en: 'must be a currency of this rail', pt: 'deve ser uma moeda aceite por este canal' },
} satisfies Record<string, Message>;

export type FaultCode = keyof typeof MESSAGES;

/** In a fault of a JSON array, these codes are about the number of its entries. */
const OF_LISTS: Partial<Record<FaultCode, Message>> = {
  too_small: { en: 'must have at least {minimum} entries', pt: 'deve ter pelo menos {minimum} elementos' },
  too_big: { en: 'must have at most {maximum} entries', pt: 'deve ter no máximo {maximum} elementos' },
};

/** The message of a fault that carries its own text in `rule`: connectors describe their settings in English. */
const BY_RULE: Message = { en: '{rule}', pt: 'não serve: {rule}' };

/** The message of a fault in one language. */
export function messageOf(code: FaultCode, lang: 'en' | 'pt', params: Record<string, unknown> = {}): string {
  const special = params['rule'] ? (sayRule(params['rule']) ?? BY_RULE) : params['isList'] ? OF_LISTS[code] : null;
  const message: Message = special ?? MESSAGES[code];
  // Double braces belong to an SMS template's placeholder and stay.
  return message[lang].replace(/(?<!\{)\{(\w+)\}(?!\})/g, (_, name: string) => String(params[name] ?? ''));
}
