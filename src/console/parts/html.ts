import htm from 'htm';
import { type ComponentChildren, type ComponentType, h, type VNode } from 'preact';

/** What a part may hold. */
export type Children = ComponentChildren;

/** Templates of elements. Values become text nodes and properties, never markup. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: readonly unknown[]) => VNode;

/** An element of a component, with its properties checked; templates check none. */
export function element<Props extends object>(
  component: (props: Props) => VNode | null,
  props: Props & { readonly key?: string },
): VNode {
  return h(component as ComponentType, props);
}
