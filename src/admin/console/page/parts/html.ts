// Makes the elements of all views from templates with `htm`, so that the page needs no compiler for JSX.

import htm from 'htm';
import { type ComponentChildren, type ComponentType, h, type VNode } from 'preact';

/** What an element may contain. */
export type Children = ComponentChildren;

type Template = (strings: readonly string[], ...values: readonly unknown[]) => VNode;

const template = htm.bind(h) as unknown as Template;
const onOneLine = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The texts of a template. `htm` drops line breaks, so a line break between words becomes a blank. */
function textsOf(strings: TemplateStringsArray): readonly string[] {
  const known = onOneLine.get(strings);
  if (known !== undefined) return known;
  const texts = strings.map((text) =>
    text
      .replace(/([^\s>])\s*\n\s*/g, '$1 ')
      .replace(/\s*\n\s*([^\s<]|<(?:a|b|code|small|span|strong|time)\b)/g, ' $1'),
  );
  onOneLine.set(strings, texts);
  return texts;
}

/** Makes elements from a template. Values become text nodes and properties, never markup. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): VNode {
  return template(textsOf(strings), ...values);
}

/** An element of a component, with its properties checked; templates check none. */
export function element<Props extends object>(
  component: (props: Props) => VNode | null,
  props: Props & { readonly key?: string },
): VNode {
  return h(component as ComponentType, props);
}
