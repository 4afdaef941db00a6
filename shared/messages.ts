// What is wrong with a field, in words for people: English and Portuguese, by the fault's code.

type Message = { en: string; pt: string };

/** Messages of `errors[].message`; `{name}` is filled from the fault's parameters. */
export const MESSAGES = {
  required: { en: 'is required', pt: 'é obrigatório' },
  invalid_type: { en: 'must be of type {expected}', pt: 'deve ser do tipo {expected}' },
  invalid_value: { en: 'must be one of: {values}', pt: 'deve ser um destes valores: {values}' },
  unknown_field: { en: 'is not a field of this', pt: 'não é um campo disto' },
  unknown_parameter: {
    en: 'is not a parameter of this list. Its parameters: {values}',
    pt: 'não é um parâmetro desta lista. Os seus parâmetros: {values}',
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
    en: 'must be an https:// address of the public internet, on port 443 or 1024 and above, without user or password ({reason})',
    pt: 'deve ser um endereço https:// da internet pública, na porta 443 ou a partir da 1024, sem utilizador nem senha ({reason})',
  },
  invalid_email: { en: 'must be an e-mail address', pt: 'deve ser um endereço de e-mail' },
  password_length: { en: 'must have 12 to 128 characters', pt: 'deve ter 12 a 128 caracteres' },
  password_common: {
    en: 'is too easy to guess: use several unrelated words',
    pt: 'é demasiado fácil de adivinhar: use várias palavras sem relação entre si',
  },
  wrong_password: { en: 'is not your password', pt: 'não é a sua palavra-passe' },
  wrong_code: { en: 'is not a valid code now', pt: 'não é um código válido agora' },
  unknown_role: {
    en: 'must be the id of a role: see GET /api/roles',
    pt: 'deve ser o id de um papel: veja GET /api/roles',
  },
  unknown_scope: { en: 'must be one of: {values}', pt: 'deve ser um destes valores: {values}' },
  scope_not_grantable: {
    en: 'must be a scope that your own token carries',
    pt: 'deve ser um âmbito que o seu próprio token tenha',
  },
  unknown_plan: {
    en: 'must be the id of a plan that can be chosen: see GET /api/billing/plans',
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
    en: 'is not among the merchant’s `searchKeys`: name it there first',
    pt: 'não está entre as `searchKeys` do comerciante: indique-a lá primeiro',
  },
  date_span: { en: 'must be at most {days} days after `from`', pt: 'não pode estar a mais de {days} dias de `from`' },
  invalid_day: { en: 'must be a day such as 2026-11-30', pt: 'deve ser um dia como 2026-11-30' },
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
    en: 'must be an amount of the settlement’s currency, not 0; below zero where the bank took it',
    pt: 'deve ser um valor na moeda da liquidação, diferente de 0; abaixo de zero se o banco o debitou',
  },
  file_encoding: {
    en: 'must be a text file in UTF-8: save it as “CSV UTF-8”',
    pt: 'deve ser um ficheiro de texto em UTF-8: guarde-o como «CSV UTF-8»',
  },
  file_line: {
    en: 'line {line} has no date and amount where the mapping says they are',
    pt: 'a linha {line} não tem data e valor onde o mapeamento diz que estão',
  },
  file_head: {
    en: 'no line of the file has all these columns as its heads',
    pt: 'nenhuma linha do ficheiro tem todas estas colunas como cabeçalho',
  },
  unknown_line: { en: 'is no line of the file', pt: 'não é uma linha do ficheiro' },
  page_cursor_invalid: {
    en: 'must be `next` of an answer of this list',
    pt: 'deve ser o `next` de uma resposta desta lista',
  },
  authorization_not_found: {
    en: 'must be the internalId of an authorization of yours',
    pt: 'deve ser o internalId de uma autorização sua',
  },
  capture_exceeds_authorization: {
    en: 'must not be above the authorized {authorized} {currency}',
    pt: 'não pode exceder o valor autorizado de {authorized} {currency}',
  },
  authorization_currency: {
    en: 'must be the currency of the authorization, {currency}',
    pt: 'deve ser a moeda da autorização, {currency}',
  },
  amount_precision: {
    en: 'has more decimals than the currency {currency} allows ({digits})',
    pt: 'tem mais casas decimais do que a moeda {currency} permite ({digits})',
  },
  amount_out_of_range: { en: 'must be between {minimum} and 10000000', pt: 'deve estar entre {minimum} e 10000000' },
  refund_exceeds: {
    en: 'must not be above the {left} {currency} that are left',
    pt: 'não pode exceder os {left} {currency} que restam',
  },
  refund_whole_only: {
    en: 'must be all of it, {amount} {currency}: this account gives back whole payments only',
    pt: 'deve ser a totalidade, {amount} {currency}: esta conta só devolve pagamentos inteiros',
  },
  transaction_required: {
    en: 'is required: this payment may have more than one transaction',
    pt: 'é obrigatório: este pagamento pode ter mais de uma transação',
  },
  unknown_transaction: {
    en: 'must be the id of a transaction of this payment',
    pt: 'deve ser o id de uma transação deste pagamento',
  },
  only_manual: {
    en: 'is for refunds by hand only: method must be manual',
    pt: 'é só para devoluções feitas à mão: method deve ser manual',
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
    en: 'must be an ISO 8601 date, or date and time (Luanda, where no offset is given)',
    pt: 'deve ser uma data ISO 8601, com ou sem hora (de Luanda, se não indicar o fuso)',
  },
  reference_in_use: {
    en: 'is in use ({entity}): another payment has this reference',
    pt: 'está em uso ({entity}): outro pagamento tem esta referência',
  },
  reference_repeated: {
    en: 'is the same as in {pointer}',
    pt: 'é igual à de {pointer}',
  },
  entity_not_assigned: {
    en: 'cannot be: your account has no entity. Add a contract, or ask the operator',
    pt: 'não é possível: a sua conta não tem entidade. Adicione um contrato, ou fale com o operador',
  },
  environment_not_allowed: {
    en: 'cannot be {value} here: this gateway takes {allowed} accounts only',
    pt: 'não pode ser {value} aqui: este gateway só aceita contas {allowed}',
  },
  setting_missing: {
    en: 'is needed for an account of this kind',
    pt: 'é necessário para uma conta deste tipo',
  },
  kind_fixed: {
    en: 'cannot be changed: make another account',
    pt: 'não pode ser alterado: crie outra conta',
  },
  method_not_supported: {
    en: '{method} is not possible with {account}, which can do: {can}',
    pt: '{method} não é possível com {account}, que permite: {can}',
  },
  amount_not_supported: {
    en: 'is not taken by {account}: it takes {min} to {max}, in steps of {step}',
    pt: 'não é aceite por {account}: aceita de {min} a {max}, em passos de {step}',
  },
  text_not_supported: {
    en: 'cannot be sent by {account}: {why}',
    pt: 'não pode ser enviado por {account}: {why}',
  },
  opt_out_not_possible: {
    en: 'optOutText is {way}, which {account} cannot do: choose one of {can}',
    pt: 'optOutText é {way}, o que {account} não permite: escolha um de {can}',
  },
  payment_method_unavailable: {
    en: '{value} has no account yet: add a contract, or ask the operator',
    pt: '{value} ainda não tem contrato: adicione um, ou fale com o operador',
  },
  gpo_id_not_assigned: {
    en: 'is not assigned to your merchant account',
    pt: 'não está atribuído à sua conta de comerciante',
  },
  gpo_id_required: {
    en: 'is required and your account has none: add a contract, or ask the operator',
    pt: 'é obrigatório e a sua conta não tem nenhum: adicione um contrato, ou fale com o operador',
  },
  origin_not_registered: {
    en: 'must be on an origin registered for your merchant account',
    pt: 'deve pertencer a uma origem registada na sua conta de comerciante',
  },
  sms_too_long: {
    en: 'needs {parts} parts and may have at most 10: 1530 characters of the GSM alphabet, or 670 with others among them{characters}',
    pt: 'precisa de {parts} partes e pode ter no máximo 10: 1530 caracteres do alfabeto GSM, ou 670 se tiver outros{characters}',
  },
  sms_value_missing: { en: 'has no value for {names}', pt: 'não tem valor para {names}' },
  placeholder_malformed: {
    en: 'has braces that are no {{chave}}: a key is letters, digits, . _ and -',
    pt: 'tem chavetas que não formam {{chave}}: uma chave tem letras, dígitos, . _ e -',
  },
  invalid_sender: {
    en: 'must be 1 to 11 letters (without accents) and digits, one letter at least',
    pt: 'deve ter 1 a 11 letras (sem acentos) e dígitos, com pelo menos uma letra',
  },
  impossible_date: { en: 'makes no day of the calendar', pt: 'não forma um dia do calendário' },
  range_reversed: { en: 'must not be before the first day', pt: 'não pode ser anterior ao primeiro dia' },
  range_too_long: { en: 'must be at most one year after the first day', pt: 'não pode passar de um ano' },
  schedule_too_soon: {
    en: 'must be at least 1 minute ahead (time of Luanda)',
    pt: 'deve faltar pelo menos 1 minuto (hora de Luanda)',
  },
  only_open_amount: {
    en: 'is only for an amount that the payer chooses',
    pt: 'só existe quando é o pagador a escolher o montante',
  },
  bounds_reversed: { en: 'must not be less than `minAmount`', pt: 'não pode ser inferior a `minAmount`' },
  stock_taken: {
    en: 'must be at least {taken}: so many payments are open or paid',
    pt: 'deve ser no mínimo {taken}: são os pagamentos em curso e os já feitos',
  },
  exactly_one: { en: 'send exactly one of: {fields}', pt: 'envie um e só um de: {fields}' },
  unknown_id: { en: 'is the id of nothing of yours', pt: 'não é o id de nada que lhe pertença' },
  currency_not_supported: { en: 'is not a currency of this rail', pt: 'não é uma moeda aceite por este canal' },
} satisfies Record<string, Message>;

export type FaultCode = keyof typeof MESSAGES;

/** Of lists the same codes are about how many entries they have. */
const OF_LISTS: Partial<Record<FaultCode, Message>> = {
  too_small: { en: 'must have at least {minimum} entries', pt: 'deve ter pelo menos {minimum} elementos' },
  too_big: { en: 'must have at most {maximum} entries', pt: 'deve ter no máximo {maximum} elementos' },
};

/** Where the field itself says what it takes: a connector's settings, in English. */
const BY_RULE: Message = { en: '{rule}', pt: 'não serve: {rule}' };

/** The message of a fault in one of its languages. */
export function messageOf(code: FaultCode, lang: 'en' | 'pt', params: Record<string, unknown> = {}): string {
  const special = params['rule'] ? BY_RULE : params['isList'] ? OF_LISTS[code] : null;
  const message: Message = special ?? MESSAGES[code];
  // What has two braces is a template's own, shown as it is.
  return message[lang].replace(/(?<!\{)\{(\w+)\}(?!\})/g, (_, name: string) => String(params[name] ?? ''));
}
