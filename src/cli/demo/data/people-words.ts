// The words from which the sample people are made.

/** Given and family names, culture by culture. Letters are precomposed (NFC); decomposed forms (NFD) are made from them. */
export const cultures: readonly { readonly given: readonly string[]; readonly family: readonly string[] }[] =
  [
    {
      given: ['Ann', 'Jürgen', 'Käthe', 'Max', 'Sören', 'Ulrike', 'Zoë', 'Karl-Heinz', 'ann', 'Ørjan'],
      family: [
        'Müller',
        'Schäfer',
        'Groß',
        'Weiß',
        'Köhler',
        'Jørgensen',
        'Åkesson',
        'von der Heide',
        'Ångström',
      ],
    },
    {
      given: [
        'Renée',
        'François',
        'José',
        'María',
        'João',
        'Chloé',
        'Íñigo',
        'Anne Marie',
        'Élodie',
        'Núria',
      ],
      family: ['Lefèvre', 'García', 'Peña', 'Gonçalves', "D'Angelo", 'Muñoz', 'Beyoğlu', 'Çelik', 'Œuvrard'],
    },
    {
      given: ['Siobhán', 'Liam', 'Grace', 'Oliver', 'Amelia', 'Noah', 'Zachary', 'Łukasz', 'Žofie', 'Nguyễn'],
      family: [
        "O'Brien",
        'Smith',
        'Jones',
        'McDonald',
        'Dvořák',
        'Wałęsa',
        'Šťastný',
        'Nguyễn',
        'de la Cruz',
      ],
    },
  ];

/** Names in other scripts. U+20BB7 (𠮷) and halfwidth katakana sort differently by code point and UTF-16 unit. */
export const eastAsian = {
  given: ['太郎', '花子', '伟', '芳', '민준', '서연', 'ﾀﾛｳ', 'はなこ'],
  family: ['𠮷田', '田中', '王', '李', '김', '박', 'ﾀﾅｶ', '鈴木'],
} as const;

/** What people enter as a first name, characters beyond the BMP included. */
export const emojiNames = ['🦊', 'Zoë 🦊', '🚀 Max', 'Ann 👩‍💻', '𝓛𝓲𝓪𝓶', '🇩🇪 Käthe'] as const;

/** Places, in their own scripts. */
export const towns = [
  'Berlin',
  'München',
  'Zürich',
  'São Paulo',
  'Łódź',
  'Reykjavík',
  'New York, NY',
  'Saint-Étienne',
  '東京',
  '서울',
  'Αθήνα',
  "L'Aquila",
] as const;

/** Free text that breaks naive parsers: quotes, line breaks, markup, escapes. */
export const bios = [
  'Loves long walks & short meetings.',
  'Said "never again" twice.\nDid it three times.',
  'Café owner, Straße 12, since 1999 ☕',
  'C:\\Users\\ann – yes, really',
  '<b>Bold</b> choice of words; DROP TABLE contacts;--',
  'Fährt Rad 🚲 und liest 📚',
  '日本語が少し話せます。',
  'null',
  '{"nested":"not json"}',
  "Tab\there, apostrophe's there",
] as const;
