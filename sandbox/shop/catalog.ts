// The demo shop's products.
export type Product = { id: string; name: string; about: string; priceMinor: number };

/** The products of the demo shop, with prices in cêntimos. */
export const CATALOG: readonly Product[] = [
  { id: 'cafe', name: 'Café de Amboim', about: 'Torra média, em grão, 250\u00a0g', priceMinor: 4_500_00 },
  { id: 'pano', name: 'Pano samakaka', about: 'Algodão estampado, 1,80\u00a0m', priceMinor: 12_000_00 },
  { id: 'cesto', name: 'Cesto de mateba', about: 'Palma entrançada à mão', priceMinor: 18_500_00 },
  { id: 'mel', name: 'Mel do Moxico', about: 'Mel silvestre, frasco de 500\u00a0g', priceMinor: 5_250_50 },
  { id: 'livro', name: 'Contos da ilha', about: 'Livro de contos, capa mole', priceMinor: 6_900_00 },
  { id: 'jindungo', name: 'Jindungo', about: 'Malaguetas em azeite, 100\u00a0ml', priceMinor: 1_750_00 },
];
