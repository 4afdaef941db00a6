// The light marks of our descriptions as elements: paragraphs, lists, `code`; all else is text, whatever it looks like.
import type { ComponentChildren } from 'preact';
import { isProblemCode } from '../../shared/errors.ts';

/** Blocks are separated by an empty line; one whose lines all begin with `- ` is a list. */
export function Markup({ text }: { text: string }) {
  const blocks = text.split(/\n{2,}/).filter((block) => block.trim() !== '');
  return (
    <>
      {blocks.map((block) => {
        const lines = block.split('\n');
        if (!lines.every((line) => line.startsWith('- '))) return <p>{markInline(block)}</p>;
        return (
          <ul class="points">
            {lines.map((line) => (
              <li>{markInline(line.slice(2))}</li>
            ))}
          </ul>
        );
      })}
    </>
  );
}

/** `code` in a line, and codes of problems as links to what they mean. */
export function markInline(text: string): ComponentChildren[] {
  return text.split(/(`[^`]+`|\b[a-z]+(?:_[a-z]+)+\b)/).map((part) => {
    const isCode = part.length > 2 && part.startsWith('`') && part.endsWith('`');
    const word = isCode ? part.slice(1, -1) : part;
    if (isProblemCode(word)) {
      return (
        <a href={`/problems/${word}`}>
          <code>{word}</code>
        </a>
      );
    }
    return isCode ? <code>{word}</code> : part;
  });
}
