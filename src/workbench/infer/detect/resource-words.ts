import type { ResourceName } from '../../../contract/resources.ts';

/** Common names of a resource and its id: folded, best first. */
type ResourceWords = {
  /** Names of its lists. */
  readonly lists: readonly string[];
  /** Names of its id; `a.b` is b within a. */
  readonly ids: readonly string[];
};

const words = (text: string) => text.trim().split(/\s+/);

const ID = `id _id uid uuid guid sysid recordid objectid entityid no nr num number ident.no ident.id ident pk key code`;

/** The names by resource of the contract, in several languages. */
export const resourceWords: Readonly<Record<ResourceName, ResourceWords>> = {
  users: {
    lists: words('users user contacts contact customers customer people persons members accounts'),
    ids: words(`${ID} userid contactid customerid personid memberid accountid clientid employeeid cid
      contactno customerno userno personnr kundennr kundennummer customernumber usernumber mitgliedsnr personalnr
      kdnr benutzerid idutilisateur idusuario username userprincipalname login`),
  },
  products: {
    lists: words('products product items articles article artikel catalog catalogue goods'),
    ids: words(`${ID} productid itemid articleid artikelid sku productno articleno itemno artikelnr
      artikelnummer articlenumber productnumber itemnumber productcode itemcode matnr material materialnr pid
      artnr artno stockcode idproduit idproducto ean gtin`),
  },
};
