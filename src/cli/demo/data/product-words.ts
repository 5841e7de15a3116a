// The words from which the sample products are made.

/** The catalogue's category codes and their labels. */
export const categories = {
  ELC: 'Electronics',
  FUR: 'Furniture',
  HOM: 'Home & Garden',
  TOY: 'Toys',
  BOK: 'Books',
  GRO: 'Groceries',
  SPO: 'Sports & Outdoors',
  CLO: 'Clothing',
} as const;

/** A category code with a label in the catalogue. */
export type CategoryCode = keyof typeof categories;

/** The goods, by category. Every character is within Latin-1, the catalogue's character set. */
export const goods: Readonly<Record<CategoryCode, readonly string[]>> = {
  ELC: ['Kopfhörer', 'Écouteurs sans fil', 'USB Charger 5 V ±10 %', 'LED Lamp 4 µA', 'Speaker'],
  FUR: ['Rollcontainer', 'Chaise longue', 'Bücherregal', 'Table à café', 'Stool'],
  HOM: ['Crème brûlée Torch', 'Gießkanne', 'Lámpara de jardín', 'Doormat 60×40', 'Vase'],
  TOY: ['Bär "Brumm"', 'Poupée', 'Muñeca', 'Puzzle ½ Metre', 'Kite'],
  BOK: ['Les Misérables', 'El Niño: A Story', 'Märchenbuch', 'How to Spend £5', 'Atlas'],
  GRO: ['Jalapeños', 'Müsli', 'Pâté', 'Kaffee Größe XL', 'Olives'],
  SPO: ['Piqué Towel', 'Fußball', 'Tent -10 °C', 'Señor Kayak', 'Rope'],
  CLO: ['Über-Jacke', 'Béret', 'Poncho', 'Socks', 'Scarf'],
};

/** Adjectives that fit any of the goods. */
export const qualities = [
  'Deluxe',
  'Économique',
  'Klein',
  'Größer',
  'Señorial',
  'Basic',
  'Pro',
  'No. 7',
] as const;

/** Advertising phrases, within Latin-1. */
export const slogans = [
  'Made in Köln. Save £3 today!',
  'Qualité supérieure · garantie à vie',
  'Für den täglichen Gebrauch, "made to last".',
  'Línea económica, tamaño pequeño',
  'Line one\nLine two\ttabbed',
  '<p>Washable at 40 °C</p>',
  '100 % cotton \\ 0 % worries',
  '© ACME® «Naïve» collection',
] as const;
