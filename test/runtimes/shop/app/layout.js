// The frame of every page.
export default function Layout({ children }) {
  return (
    <html lang="pt">
      <body>{children}</body>
    </html>
  );
}
