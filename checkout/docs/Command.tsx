// A command to copy: by hand without the script, by a button with it.

export function Command({ text, of }: { text: string; of: string }) {
  return (
    <div class="command">
      <div>
        <span class="quiet small">Shell</span>
        <button type="button" class="plain small" hidden data-copy>
          Copy<span class="unseen"> the command: {of}</span>
        </button>
      </div>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}
