// A decorative icon of a tray, empty or with an arriving item.
export function TrayMark({ isEmpty = false }: { isEmpty?: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M6.500 9.500h-2l-2 6v5h19v-5l-2-6h-2M2.500 15.500h5l1.500 2.500h6l1.500-2.500h5" />
      {isEmpty ? null : <path d="M12 2.500v10M8.500 9l3.500 3.500L15.500 9" />}
    </svg>
  );
}
