// The table of all actions of the operator's listener. Its routes, its OpenAPI document, the console and the commands take
// the names and types of actions from here.

import type * as z from 'zod';
import type { DeepReadonly } from '../../kernel/deep-readonly.ts';
import type { ActionSpec, Parsed } from './action.ts';
import { auditSpecs } from './audit-action-specs.ts';
import { callerSpecs } from './caller-action-specs.ts';
import { configSpecs } from './config-action-specs.ts';
import { incidentSpecs } from './incident-specs.ts';
import { metricSpecs } from './metric-specs.ts';
import { keySpecs } from './key-action-table.ts';
import { migrationSpecs } from './migration-action-specs.ts';
import { qualitySpecs } from './quality-specs.ts';
import { requestSpecs } from './request-action-specs.ts';

/** Every action of the operator's listener, by name. The routes and the OpenAPI document are made from this table. */
export const actionSpecs = {
  ...qualitySpecs,
  ...metricSpecs,
  ...incidentSpecs,
  ...keySpecs,
  ...migrationSpecs,
  ...requestSpecs,
  ...auditSpecs,
  ...configSpecs,
  ...callerSpecs,
} as const satisfies Readonly<Record<string, ActionSpec>>;

/** The name of an action in the audit and between processes, such as `keys.create`. */
export type ActionName = keyof typeof actionSpecs;

/** The input of an action, once it is checked. */
export type ActionInput<Name extends ActionName> = Parsed<(typeof actionSpecs)[Name]['input']>;

/** The input of an action, before it is checked. */
export type ActionRequest<Name extends ActionName> = DeepReadonly<
  z.input<(typeof actionSpecs)[Name]['input']>
>;

/** The output of an action. */
export type ActionValue<Name extends ActionName> = Parsed<(typeof actionSpecs)[Name]['output']>;

/** The specs with their names, in the order of the table. */
export const actionList = Object.entries(actionSpecs) as readonly (readonly [ActionName, ActionSpec])[];
