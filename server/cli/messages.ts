// Server-sent events as a reader takes them apart (WHATWG HTML, "Interpreting an event stream").

/** One message; `id` is the last one told, which may be an earlier message's. */
export type Message = { event: string; data: string; id: string | null };

/** The messages of a stream, however its text is cut; one that is not whole at the end is none. */
export async function* readMessages(chunks: AsyncIterable<string>): AsyncGenerator<Message> {
  let rest = '';
  let id: string | null = null;
  let fields = { event: '', data: [] as string[] };
  for await (const chunk of chunks) {
    // A carriage return at the end may be the first half of a line end.
    const [, whole = '', begun = ''] = /^([^]*(?:\r\n|\n|\r(?=[^\n])))?([^]*)$/.exec(rest + chunk) ?? [];
    rest = begun;
    for (const line of splitLines(whole)) {
      if (line === '') {
        if (fields.data.length > 0) yield { event: fields.event || 'message', data: fields.data.join('\n'), id };
        fields = { event: '', data: [] };
        continue;
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name === 'data') fields.data.push(value);
      else if (name === 'event') fields.event = value;
      else if (name === 'id' && !value.includes('\0')) id = value;
    }
  }
}

/** Whole lines, without their ends. */
function splitLines(text: string): string[] {
  return text === '' ? [] : text.replace(/(\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
}
