// The root layout of every page in Next.js.
export default function Layout({ children }) {
  return (
    <html lang="pt">
      <body>{children}</body>
    </html>
  );
}
