// The icon of a sent mail. Screen readers skip it.
export function EnvelopeMark({ look = '' }: { look?: string }) {
  return (
    <svg class={`icon ${look}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M3.500 5.500h17v13h-17ZM3.500 6.500l8.500 6.500 8.500-6.500" />
    </svg>
  );
}
