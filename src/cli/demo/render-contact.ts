import type { LegacyUser } from './data/generate-users.ts';

/** A contact as a row of a list; `canary` is appended to every secret. */
export function contactRow(contact: LegacyUser, canary: string): object {
  const { cid, created, fname, lname, natid, mail, tel, login, pwd } = contact;
  return {
    contact: {
      core: {
        cid,
        created,
        person: { fname, lname, natid: natid + canary },
        comm: { mail, tel: tel + canary },
        access: { login: login + canary, pwd: pwd + canary },
      },
    },
  };
}

/** The same contact on its card, where most fields have another name and all are text. */
export function contactCard(contact: LegacyUser, canary: string): object {
  const { cid, created, fname, lname, natid, mail, tel, notes, town, picture, pwd } = contact;
  return {
    ident: { no: String(cid), since: created === null ? null : String(created), natid: natid + canary },
    naming: { given: fname, family: lname },
    reach: { email: mail, phone: tel + canary },
    about: { notes, town, picture },
    secret: { pwd: pwd + canary },
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
