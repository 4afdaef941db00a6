// Inputs of a filter that try to become part of a SQL statement.

export const HOSTILE = [
  "' or ''='",
  "'; select 1; --",
  `"`,
  '\\',
  "\\' or true --",
  "\\\\' or 1=1",
  "E'\\x27 or 1'",
  "U&'\\0027'",
  '$1',
  '$$;$$',
  ') to stdout; --',
  '","x"}',
  '{"a"}',
  'null',
  '\u2019\u02bc\uff07',
  '\u{1F600};é,\r\n\t',
];
