import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createFolder } from '../../support/process/folder.ts';
import { freePort } from '../../support/process/free-port.ts';
import { startProcess } from '../../support/process/running-process.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

/** The configuration of Alertmanager that ships. */
export const ALERTMANAGER_FILE = 'config/prometheus/alertmanager.yaml';

/** Why what needs Alertmanager cannot be run here; `undefined` where it can. */
export const noAlertmanager = existsSync('/usr/bin/prometheus-alertmanager')
  ? undefined
  : 'Alertmanager is missing: install the Debian package prometheus-alertmanager';

/** An Alertmanager that runs, and what it sent. */
export type Alertmanager = {
  readonly url: string;
  /** The alerts that a person was called or written to for, in order, without repetitions. */
  sent(): readonly string[];
  close(): Promise<void>;
};

type Config = {
  route: object;
  receivers: readonly { readonly name: string }[];
};

/**
 * Starts Debian's Alertmanager with the configuration that ships, whose receivers are one of ours. It waits two seconds
 * where the file has 30, because the rules of the tests are that much faster, too.
 */
export async function startAlertmanager(): Promise<Alertmanager> {
  const folder = createFolder('alertmanager');
  const told = new Set<string>();
  const receiver = await startUpstream(
    serving(({ body }) => {
      const { status, groupLabels } = JSON.parse(body) as Record<'status', string> & {
        groupLabels: { alertname: string };
      };
      if (status === 'firing') told.add(groupLabels.alertname);
      return { status: 200, body: {} };
    }),
  );
  const shipped = parse(readFileSync(ALERTMANAGER_FILE, 'utf8')) as Config;
  const receivers = shipped.receivers.map(({ name }) => ({
    name,
    webhook_configs: [{ url: receiver.origin }],
  }));
  const route = { ...shipped.route, group_wait: '2s', group_interval: '2s' };
  const file = join(folder.path, 'alertmanager.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ ...shipped, receivers, route }));
  const port = String(await freePort());
  const running = startProcess('prometheus-alertmanager', [
    `--config.file=${file}`,
    `--storage.path=${join(folder.path, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ]);
  await running.prints(/Listening on/);
  return {
    url: `127.0.0.1:${port}`,
    sent: () => [...told],
    async close() {
      await running.kill();
      await receiver.close();
      folder.remove();
    },
  };
}
