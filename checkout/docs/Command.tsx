// A command with a copy button. Without a script the reader selects the command's text.

export function Command({ text, of, language = 'Shell' }: { text: string; of: string; language?: string }) {
  const what = language === 'Shell' ? 'command' : `${language}`;
  return (
    <div class="command">
      <div>
        <span class="quiet small">{language}</span>
        <button type="button" class="plain small" hidden data-copy>
          Copy
          <span class="unseen">
            {' '}
            the {what}: {of}
          </span>
        </button>
      </div>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}
