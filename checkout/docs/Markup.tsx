// Renders the markup of descriptions: paragraphs, lists and `code`. Everything else is plain text.
import type { ComponentChildren } from 'preact';
import { isProblemCode } from '../../shared/errors.ts';

/** Empty lines separate blocks of a description. A block is a list if all of its lines begin with `- `. */
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

/** Renders `code` in a description, and links problem codes to their pages. */
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
