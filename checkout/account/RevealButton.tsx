/** The button that shows the typed password in the field `password`. The pages' script makes it visible. */
export function RevealButton({ show, hide }: { show: string; hide: string }) {
  return (
    <button type="button" class="reveal" aria-controls="password" data-reveal={show} data-hide={hide} hidden>
      {show}
    </button>
  );
}
