// Writes a contact of the sample CRM as JSON, as a row of a list or as a single record;
// users-service.ts answers with it.

import type { LegacyUser } from './data/generate-users.ts';

/** A contact as a row of a list; `secretMarker` is appended to every secret. */
export function contactRow(contact: LegacyUser, secretMarker: string): object {
  const { cid, created, fname, lname, natid, mail, tel, login, pwd } = contact;
  return {
    contact: {
      core: {
        cid,
        created,
        person: { fname, lname, natid: natid + secretMarker },
        comm: { mail, tel: tel + secretMarker },
        access: { login: login + secretMarker, pwd: pwd + secretMarker },
      },
    },
  };
}

/** A contact as a single record, where most fields have another name than in a list, and all are text. */
export function contactCard(contact: LegacyUser, secretMarker: string): object {
  const { cid, created, fname, lname, natid, mail, tel, notes, town, picture, pwd } = contact;
  return {
    ident: { no: String(cid), since: created === null ? null : String(created), natid: natid + secretMarker },
    naming: { given: fname, family: lname },
    reach: { email: mail, phone: tel + secretMarker },
    about: { notes, town, picture },
    secret: { pwd: pwd + secretMarker },
  };
}

// ES2026; the compiler's library does not have it yet (https://tc39.es/proposal-json-parse-with-source/).
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

/** JSON text that writes a bigint as an integer with all its digits and leaves out keys with `undefined`. */
export function jsonWithBigints(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(member.toString()) : member,
  );
}
