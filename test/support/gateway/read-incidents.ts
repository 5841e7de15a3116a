import type { IncidentList, IncidentView } from '../../../src/admin/api/incident-specs.ts';
import type { RunningGateway } from './running-gateway.ts';

/** A request that a test of incidents repeats. */
export const USERS_PATH = '/v1/users?limit=2';

/** Reads an action of the operator's listener, by its path behind `/api/`. */
export async function readOperator<T>(
  { adminUrl }: Pick<RunningGateway, 'adminUrl'>,
  path: string,
): Promise<T> {
  return (await (await fetch(`${adminUrl}/api/${path}`)).json()) as T;
}

/** The incidents that are open. */
export async function openIncidents(
  gateway: Pick<RunningGateway, 'adminUrl'>,
): Promise<readonly IncidentView[]> {
  const { incidents } = await readOperator<IncidentList>(gateway, 'incidents');
  return incidents.filter(({ state }) => state === 'open');
}
