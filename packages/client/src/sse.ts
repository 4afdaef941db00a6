// Server-sent events out of an answer, as the HTML standard reads them.

export type Message = { id: string; data: string };

/** Each message as it comes; `hear` is called whenever anything does, a heartbeat too. */
export async function* readMessages(response: Response, hear: () => void): AsyncGenerator<Message, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let left = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      hear();
      const blocks = (left + value).split(/\r?\n\r?\n/);
      left = blocks.pop()!;
      for (const block of blocks) {
        const message = { id: '', data: '' };
        for (const [, field, text = ''] of block.matchAll(/^(id|data): ?(.*?)\r?$/gm)) {
          if (field === 'id') message.id = text;
          else message.data += message.data ? `\n${text}` : text;
        }
        if (message.data) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
