import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

const COLOURS_MAX = 256;
/** Reads the pixels of a PNG; Node cannot. */
const PIXELS = `async (png) => {
  const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (one) => one.charCodeAt(0))]));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return new Uint32Array(data.buffer).join();
}`;

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const partsOf = (colour: number) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];

function distance(one: number, other: number): number {
  const others = partsOf(other);
  return partsOf(one).reduce((sum, part, at) => sum + (part - (others[at] ?? 0)) ** 2, 0);
}

/** The same picture in its most frequent colours, each pixel in the nearest: less than half as large. Chromium writes no palette. */
export async function withPalette(png: Buffer, page: Page): Promise<Buffer> {
  const text = await page.evaluate<string>(`(${PIXELS})(${JSON.stringify(png.toString('base64'))})`);
  const pixels = text.split(',').map(Number);
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, COLOURS_MAX)
    .map(([colour]) => colour);
  const nearest = (colour: number) => {
    const distances = palette.map((one) => distance(colour, one));
    return distances.indexOf(Math.min(...distances));
  };
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(colour)]));
  const width = png.readUInt32BE(16);
  // Each row begins with the number of its filter, which is none.
  const rows = pixels.flatMap((pixel, at) => [...(at % width === 0 ? [0] : []), places.get(pixel) ?? 0]);
  const size = png.subarray(16, 24);
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', Buffer.concat([size, Buffer.from([8, 3, 0, 0, 0])])),
    chunk('PLTE', Buffer.from(palette.flatMap(partsOf))),
    chunk('IDAT', deflateSync(Buffer.from(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
