// Parses server-sent events from a response, as the HTML standard specifies.

export type Message = { id: string; data: string };

/** Yields each server-sent message. @param onData called for every chunk, also for heartbeats */
export async function* readMessages(response: Response, onData: () => void): AsyncGenerator<Message, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let left = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onData();
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
