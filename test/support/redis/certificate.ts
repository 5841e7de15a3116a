import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate of one's own making for 127.0.0.1 and `redis.test`, which is its own authority. */
export type Certificate = {
  /** The certificate, PEM: what a client has to trust. */
  readonly ca: string;
  readonly file: string;
  /** The file of its private key. */
  readonly key: string;
  /** What redis-server must be told to speak TLS with it, to clients that show no certificate. */
  readonly args: readonly string[];
  remove(): Promise<void>;
};

/** Makes a certificate with openssl. */
export async function makeCertificate(): Promise<Certificate> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-tls-'));
  const [file, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=redis.test', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:redis.test'],
    ...['-keyout', key, '-out', file],
  ]);
  return {
    file,
    key,
    ca: await readFile(file, 'utf8'),
    args: [
      ...['--tls-cert-file', file, '--tls-key-file', key, '--tls-ca-cert-file', file],
      ...['--tls-auth-clients', 'no'],
    ],
    remove: () => rm(directory, { recursive: true }),
  };
}
