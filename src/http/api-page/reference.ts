// Renders the reference of the API page: each operation of a contract, with code that asks for it and a form to try it.

import type { Field, JsonSchema } from '../../contract/fields.ts';
import { operationTexts } from '../../contract/openapi.ts';
import {
  type ApiParameter,
  exampleIdOf,
  openapiPath,
  parametersOf,
} from '../../contract/openapi-parameters.ts';
import { deprecationMarks } from '../../contract/deprecation.ts';
import { deprecationHeaders, headers } from '../../contract/openapi-headers.ts';
import type { Contract, FilterParameter, Operation, Resource } from '../../contract/resource.ts';
import { catalogue, errorCodes } from '../../kernel/errors/catalogue.ts';
import { escapeXml } from '../../kernel/escape-xml.ts';
import { proseHtml, table } from './html.ts';
import { codeSamples } from './code-samples.ts';

type Resources = Contract['resources'];

const anchorOf = ({ name }: Operation) => name.replace('.', '-');

/** Says that a part is deprecated, and when it is removed. */
function marksOf({ deprecated, 'x-sunset': sunset }: JsonSchema): string {
  const words = [
    ...(deprecated === true ? ['deprecated'] : []),
    ...(typeof sunset === 'string' ? [`removed on ${sunset}`] : []),
  ];
  return words.map((word) => ` <strong class="mark">${word}</strong>`).join('');
}

const codes = (values: readonly unknown[]): string =>
  values.map((value) => `<code>${escapeXml(String(value))}</code>`).join(', ');

/** The sentences about a value, as HTML: those that are there. */
const sentences = (...all: readonly (string | undefined)[]) =>
  all.filter((one) => one !== undefined && one !== '').join(' ');

const exampleText = ({ examples }: JsonSchema) =>
  Array.isArray(examples) ? `Example: ${codes(examples)}.` : undefined;

const choice = (values: readonly unknown[]) => `One of <span class="values">${codes(values)}</span>.`;

/** The kind of a parameter's value; a filter takes one of its field, or several. */
function kindOfParameter({ in: place, schema }: ApiParameter, filter: FilterParameter | undefined): string {
  if (place === 'path') return 'id, required';
  if (filter === undefined) return schema.enum === undefined ? schema.type : 'enum';
  if (filter.op === 'known') return 'boolean';
  return filter.op === 'in' ? `${filter.kind}, or several with commas` : filter.kind;
}

function parameterRow(parameter: ApiParameter, { filters }: Resource): readonly string[] {
  const { name, description, schema } = parameter;
  const filter = filters.find((one) => one.name === name);
  const values = filter?.op === 'known' ? undefined : (filter?.values ?? schema.enum);
  const { minimum = 1, maximum, default: usual } = schema;
  return [
    `<code>${name}</code>${marksOf(parameter)}`,
    kindOfParameter(parameter, filter),
    sentences(
      proseHtml(description),
      values && choice(values),
      maximum === undefined ? undefined : `${minimum} to ${maximum}.`,
      usual === undefined ? undefined : `Default: ${codes([usual])}.`,
      exampleText(schema),
    ),
  ];
}

function kindOf({ kind, to, list }: Field): string {
  if (to !== undefined) return `id of ${to}`;
  if (list === undefined) return kind;
  return `list of ${'kind' in list.of ? kindOf(list.of) : 'objects'}, at most ${list.max}`;
}

/** A row for each field; a field of the objects in a list stands below it, as `lines[].amount`. */
function fieldRows(fields: readonly Field[], before = ''): readonly (readonly string[])[] {
  return fields.flatMap((field) => {
    const { list, required, schema } = field;
    const name = before + field.name;
    const element = list !== undefined && 'kind' in list.of ? list.of : undefined;
    const { values, schema: valueSchema } = element ?? field;
    const row = [
      `<code>${name}</code>${marksOf(schema)}`,
      kindOf(field) + (required ? '' : ', or null'),
      sentences(
        proseHtml(typeof schema.description === 'string' ? schema.description : ''),
        values && choice(values),
        exampleText(valueSchema),
      ),
    ];
    const inside = list === undefined || 'kind' in list.of ? [] : fieldRows(list.of, `${name}[].`);
    return [row, ...inside];
  });
}

/** The address of an example request, below the root of the API. */
export function exampleAddress(operation: Operation): string {
  const { kind, resource } = operation;
  const path = openapiPath(operation).slice(1);
  return kind === 'list'
    ? `${path}?limit=${Math.min(3, resource.pages.max)}`
    : path.replace('{id}', exampleIdOf(resource));
}

function exampleValue({ schema, to = '', list }: Field, resources: Resources): unknown {
  const target = resources.get(to);
  if (target !== undefined) return exampleIdOf(target);
  if (list !== undefined)
    return ['kind' in list.of ? exampleValue(list.of, resources) : exampleRecord(list.of, resources)];
  return Array.isArray(schema.examples) ? (schema.examples[0] as unknown) : '…';
}

/** A typical record. Fields that share the beginning of their path become one object. */
function exampleRecord(fields: readonly Field[], resources: Resources, depth = 0): object {
  const entries = [...Map.groupBy(fields, ({ path }) => path[depth] ?? '')].map(([key, group]) => {
    const [first] = group;
    const isValue = first?.path.length === depth + 1;
    return [key, isValue ? exampleValue(first, resources) : exampleRecord(group, resources, depth + 1)];
  });
  return Object.fromEntries(entries) as object;
}

function answerPart({ kind, resource }: Operation, resources: Resources, what: string): string {
  const fields = kind === 'list' ? resource.itemFields : resource.detailFields;
  const record = exampleRecord(fields, resources);
  const body =
    kind === 'list'
      ? { data: [record], meta: { total: 120, page: 1, limit: resource.pages.default } }
      : { data: record };
  const outline =
    kind === 'list'
      ? '`data` is a list of records with these fields. `meta` has the exact `total` of records that match, and the `page` and the `limit` that apply.'
      : '`data` is the record, with these fields.';
  return `<h4>Answer</h4>
<p>${proseHtml(outline)}</p>
${table(`Fields: ${what}`, ['Field', 'Kind', 'Meaning'], fieldRows(fields))}
<details><summary>Example of an answer</summary>
<pre tabindex="0" role="group" aria-label="Example of an answer: ${escapeXml(what)}"><code>${escapeXml(JSON.stringify(body, null, 2))}</code></pre></details>`;
}

/** Every error of the catalogue, by status. */
const errorRows = errorCodes.map((code) => {
  const { status, sentence } = catalogue[code];
  return [String(status), `<code>${code}</code>`, proseHtml(sentence)];
});

function inputOf({ name, in: place, schema }: ApiParameter, exampleId: string): string {
  if (schema.enum !== undefined) {
    const choices = schema.enum.map((value) => `<option>${escapeXml(value)}</option>`);
    return `<select data-name="${name}"><option></option>${choices.join('')}</select>`;
  }
  const example = place === 'path' ? exampleId : schema.examples?.[0];
  const hint = escapeXml(String(schema.default ?? example ?? ''));
  return `<input data-name="${name}" placeholder="${hint}" autocomplete="off" spellcheck="false"${place === 'path' ? ' required' : ''}>`;
}

/** The form that sends the request. It is hidden until the script of the page, which it needs, shows it. */
function tryForm(operation: Operation, parameters: readonly ApiParameter[], what: string): string {
  const inputs = parameters.map(
    (one) => `<label><code>${one.name}</code> ${inputOf(one, exampleIdOf(operation.resource))}</label>`,
  );
  return `<form class="try" data-path="${openapiPath(operation).slice(1)}" aria-label="Try it: ${escapeXml(what)}" autocomplete="off" hidden>
<h4>Try it</h4>
${inputs.join('\n')}
<button>Send the request</button>
<p role="status"></p>
<pre tabindex="0" role="group" aria-label="The answer: ${escapeXml(what)}" hidden></pre>
</form>`;
}

function operationPart(operation: Operation, resources: Resources): string {
  const { resource } = operation;
  const { summary, description } = operationTexts(operation);
  const parameters = parametersOf(operation);
  const anchor = anchorOf(operation);
  const path = openapiPath(operation);
  const rows = parameters.map((one) => parameterRow(one, resource));
  return `<section class="operation" id="${anchor}" aria-labelledby="${anchor}-title">
<div>
<h3 id="${anchor}-title"><a href="#${anchor}">${summary}</a>${marksOf(deprecationMarks(resource.deprecation))}</h3>
<p class="request"><b>GET</b> <code>${path}</code></p>
<p>${proseHtml(description)}</p>
<h4>Parameters</h4>
${table(`Parameters: ${summary}`, ['Parameter', 'Kind', 'Meaning'], rows)}
${answerPart(operation, resources, summary)}
<details><summary>Errors</summary>
${table(`Errors: ${summary}`, ['Status', 'Code', 'Meaning'], errorRows)}</details>
</div>
<div>
<h4>Code</h4>
${codeSamples(summary, exampleAddress(operation))}
${tryForm(operation, parameters, summary)}
</div>
</section>`;
}

/** The items of a table of contents: a link to each operation. */
export function operationLinks({ operations }: Contract): string {
  return operations
    .map((one) => `<li><a href="#${anchorOf(one)}"><b>GET</b> ${openapiPath(one)}</a></li>`)
    .join('\n');
}

/** Every operation of a contract. The headers are those that the form shows of an answer. */
export function referencePart({ operations, resources }: Contract): string {
  const shown = Object.keys({ ...headers, ...deprecationHeaders }).join(' ');
  return `<section id="reference" aria-labelledby="reference-title" data-headers="${shown}">
<h2 id="reference-title">Reference</h2>
<p class="try" hidden><label>Your key or token, for trying requests out <input id="credential" type="password" autocomplete="off"></label> It stays in the memory of this page: reload or leave the page, and it is gone.</p>
<noscript><p>Requests can be tried out on this page with JavaScript.</p></noscript>
${operations.map((one) => operationPart(one, resources)).join('\n')}
</section>`;
}
