import { REPLY_MARKER, type Mutation } from './case.ts';

/** A leaf element: `<a:name …>text</a:name>`. */
const LEAF = /<([\w:.-]+)((?:\s[^<>]*)?)>([^<>]*)<\/\1>/g;

/** Changes one element that holds nothing but text. */
function atLeaf(change: (name: string, attributes: string, text: string) => string): Mutation<string> {
  return (xml, random) => {
    const leaves = [...xml.matchAll(LEAF)];
    if (leaves.length === 0) return xml;
    const { 0: whole, 1: name = '', 2: attributes = '', 3: text = '', index } = random.pick(leaves);
    return xml.slice(0, index) + change(name, attributes, text) + xml.slice(index + whole.length);
  };
}

const afterProlog = (xml: string, insert: string) =>
  xml.replace(/^(<\?xml[^>]*\?>)?/, (prolog) => prolog + insert);

const laughs = Array.from({ length: 10 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');

const DOCTYPES = [
  `<!DOCTYPE r [<!ENTITY l0 "${REPLY_MARKER}">${laughs}]>`,
  `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>`,
  `<!DOCTYPE r SYSTEM "http://127.0.0.1:9/${REPLY_MARKER}.dtd">`,
  `<!doctype r [<!ENTITY % p "<!ENTITY x '${REPLY_MARKER}'>">%p;]>`,
];

const REFERENCES = [
  '&l10;',
  '&x;',
  `&${REPLY_MARKER};`,
  '&#0;',
  '&#xD800;',
  '&#x110000;',
  '&amp',
  '&',
  '&#99999999999;',
];

/** What may become of an XML document, by name. */
export const xmlMutations: Readonly<Record<string, Mutation<string>>> = {
  drop: atLeaf(() => ''),
  retype: atLeaf((name, attributes) => `<${name}${attributes}><secret>${REPLY_MARKER}</secret></${name}>`),
  nest: atLeaf((name, attributes, text) => `<${name}${attributes}><${name}>${text}</${name}></${name}>`),
  twice: atLeaf((name, attributes, text) => `<${name}${attributes}>${text}</${name}>`.repeat(2)),
  nil: atLeaf((name, _attributes, text) => `<${name} xsi:nil="true">${text}</${name}>`),
  attribute: atLeaf(
    (name, _attributes, text) =>
      `<${name} id="${REPLY_MARKER}" id="2" zz='${REPLY_MARKER}'>${text}</${name}>`,
  ),
  hollow: atLeaf((name) => `<${name}/>`),
  cdata: atLeaf(
    (name, attributes, text) => `<${name}${attributes}><![CDATA[${text}]]><!-- ${REPLY_MARKER} --></${name}>`,
  ),
  prefix: atLeaf((_name, _attributes, text) => `<nowhere:zz>${text}</nowhere:zz>`),
  prototype: atLeaf(
    (name, attributes, text) =>
      `<__proto__><Id>${REPLY_MARKER}</Id></__proto__><${name}${attributes}>${text}</${name}>`,
  ),
  number: (xml, random, textKeys) =>
    atLeaf((name, attributes) => {
      const value = random.pick([
        '1e999999',
        '-1',
        '99999999999999999999999',
        '0x10',
        '١٢',
        '1,5',
        ' 7 ',
        '9'.repeat(5_000),
      ]);
      return `<${name}${attributes}>${value}</${name}>`;
    })(xml, random, textKeys),
  long: (xml, random, textKeys) =>
    atLeaf((name, attributes) => {
      const text = 'x'.repeat(random.pick([1_000, 200_000, 400_000]));
      return `<${name}${attributes}>${text}</${name}>`;
    })(xml, random, textKeys),
  reference: (xml, random, textKeys) =>
    atLeaf((name, attributes) => `<${name}${attributes}>${random.pick(REFERENCES)}</${name}>`)(
      xml,
      random,
      textKeys,
    ),
  doctype: (xml, random) => afterProlog(xml, random.pick(DOCTYPES)).replace(/>[^<>]+</, '>&l10;&x;<'),
  deep: (xml, random, textKeys) => {
    const depth = random.pick([10, 60, 70, 500, 30_000]);
    return atLeaf((name) => `<${name}>${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}</${name}>`)(
      xml,
      random,
      textKeys,
    );
  },
  many: (xml, random, textKeys) =>
    atLeaf((name, attributes, text) => `<${name}${attributes}>${text}</${name}>`.repeat(3_000))(
      xml,
      random,
      textKeys,
    ),
  mismatch: (xml, random) => xml.replace(random.pick([/<\//, /<\w[^>]*>/, />/, /"/]), ''),
  encoding: (xml, random) =>
    xml.replace(
      /^(<\?xml[^>]*\?>)?/,
      `<?xml version="1.0" encoding="${random.pick(['utf-16', 'utf-7', REPLY_MARKER, 'iso-8859-1', ''])}"?>`,
    ),
  instruction: (xml) => afterProlog(xml, `<?xml-stylesheet href="${REPLY_MARKER}"?><!-- ${REPLY_MARKER} -->`),
  roots: (xml) => `${xml}<again/>`,
};

/** Puts the secret marker beside the fields of every record, in an element that no source file maps. */
export function plantInXml(xml: string): string {
  return xml.replace(LEAF, (leaf) => `${leaf}<zzInternal>${REPLY_MARKER}</zzInternal>`);
}

function atRow(change: (row: string) => string): Mutation<string> {
  return (csv, random) => {
    const rows = csv.split('\r\n');
    const at = random.below(rows.length);
    rows[at] = change(rows[at] ?? '');
    return rows.join('\r\n');
  };
}

/** What is put behind a row; within a value of several lines it would rightly be read as a part of that. */
const behind = (row: string) => (/^\d+;[^"]*$/.test(row) ? REPLY_MARKER : 'zz');

/** What may become of a CSV document, by name. */
export const csvMutations: Readonly<Record<string, Mutation<string>>> = {
  quoteInside: atRow((row) => row.replace(/\w/, '$&"')),
  quoteOpen: atRow((row) => `"${row}`),
  quoteAfter: atRow((row) => `"${row}"${behind(row)}`),
  longer: atRow((row) => `${row};${behind(row)};${behind(row)}`),
  shorter: atRow((row) => row.replace(/;[^;]*$/, '')),
  hollow: atRow(() => ''),
  nul: atRow((row) => row.replace(/;/, '\u0000;')),
  number: (csv, random, textKeys) =>
    atRow((row) =>
      row.replace(
        /\d+,\d\d/,
        random.pick([REPLY_MARKER, '1e99', '-', '1.2.3,4,5', '9'.repeat(5_000), '１,５']),
      ),
    )(csv, random, textKeys),
  long: (csv, random, textKeys) =>
    atRow((row) => `${row}${'x'.repeat(random.pick([1_000, 400_000]))}`)(csv, random, textKeys),
  twice: atRow((row) => `${row}\r\n${row}`),
  header: (csv, random) =>
    csv.replace(/^[^;]*;[^;]*/, random.pick(['', '__proto__;constructor', 'a;a', `${REPLY_MARKER};b`, '"'])),
  headless: (csv) => csv.slice(csv.indexOf('\n') + 1),
  onlyHeader: (csv) => csv.slice(0, csv.indexOf('\n') + 1),
  swap: (csv, random) => {
    const [header = '', ...rows] = csv.split('\r\n');
    const [left, right] = [random.below(rows.length), random.below(rows.length)];
    [rows[left], rows[right]] = [rows[right] ?? '', rows[left] ?? ''];
    return [header, ...rows].join('\r\n');
  },
  ends: (csv, random) => csv.replaceAll('\r\n', random.pick(['\n', '\r', '\n\n', '\u2028'])),
  delimiter: (csv, random) => csv.replaceAll(';', random.pick([',', '\t', '|', ';;'])),
  many: (csv) => csv + `${csv.split('\r\n')[1] ?? ''}\r\n`.repeat(3_000),
};
