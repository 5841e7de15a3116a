// The names that services usually give to fields, lists and ids, in several languages. `portico infer` guesses by them.

import type { Resource } from '../../../contract/resource.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';

/** The words of a text. */
export const words = (text: string) => text.trim().split(/\s+/);

/** Common names of what a field may mean, in several languages: folded, best first. `a.b` is b in a. */
export const fieldWords = {
  fullName: words(`displayname name fullname name.formatted name.full name.display formattedname realname
    commonname cn completename label.name anzeigename vollstandigername nomcomplet nombrecompleto contactname
    customername username.display profile.name profile.displayname titlename text.name title`),
  firstName: words(`firstname givenname fname forename given first name.first name.given name.givenname
    name.firstname vorname prenom nombre nome primernombre naming.given`),
  lastName: words(`lastname familyname lname surname family last sn name.last name.family name.familyname
    name.lastname nachname familienname nom apellido apellidos cognome naming.family`),
  loginName: words('username login loginname nickname nick userprincipalname account uid'),
  email:
    words(`email mail emailaddress emailaddr emails.primary.value emails.value email.value email.address emails
    mailaddress primaryemail workemail emailid emailwork comm.mail correo correoelectronico courriel epost mailadresse
    emailadresse contactinformation.emailaddress profile.email`),
  created:
    words(`createdat created createdon createddate creationdate datecreated createdtimestamp creationtime
    createtime createdtime syscreatedon created.at meta.created registeredat registered registrationdate
    dateregistered signupdate signedupat signup membersince customersince since joined joinedat datejoined
    joindate insertedat enteredon enteredat entered entrydate addedon addedat dateadded insertdate angelegtam angelegt erstelltam erstellt anlagedatum
    eintrittsdatum creele datecreation datedecreation fechacreacion fechaalta creato datacreazione ctime crdate
    whencreated createtimestamp time.created dates.created audit.created`),
  prose: words(`bio biography about aboutme introduction profile.bio notes note description summary comment
    comments remark remarks freetext bemerkung notiz`),
  place: words(`location city town locality localityname l place profile.location addresses.locality
    address.city address.locality address.town addresses.city ort stadt wohnort ville ciudad citta mailingcity`),
  picture: words(`avatarurl avatar picture photo photourl pictureurl imageurl image photos.value
    mediumphotourl profileimage profilepicture profileimageurl labeleduri thumbnail thumbnailurl bild foto
    gravatar images.src icon`),
  title:
    words(`name title productname itemname articlename displayname designation label name.default bezeichnung
    artikelbezeichnung titel produktname nm nombre nom denominazione libelle shorttext maktx productdescription.name
    headline`),
  description:
    words(`description desc descr longdescription fulldescription productdescription descriptionhtml
    bodyhtml beschreibung artikelbeschreibung langtext longtext text txt details detail body content descripcion
    descrizione descriptionsale summary shortdescription info artikeltext`),
  amount: words(`price unitprice listprice price.amount price.value prices.amount prices.value priceamount
    retailprice salesprice sellingprice salesprice.amount currentprice variants.price preis verkaufspreis
    vkpreis vk bruttopreis einzelpreis listenpreis prix prixunitaire precio prezzo prc pricecents priceincents
    amountcents cents amount eur usd gbp netpr price.gross price.net pricegross pricenet money.amount regularprice`),
  category:
    words(`category categoryname category.name category.title category.label categ categoryid.name categid.label
    categories.name categories.title categories.label categories productcategory productcategory.name producttype
    itemcategory kategorie warengruppe wgr artikelgruppe produktgruppe rubrik categorie categoria catname cat cc
    categorycode itemgroup productgroup group.name group genre department section family collection type.name type
    categoryids categoryid kind class`),
};

const ID = `id _id uid uuid guid sysid recordid objectid entityid no nr num number ident.no ident.id ident pk key code`;

/** Common names of lists and ids by what their records are, in several languages: folded, best first. */
const recordWords: Readonly<
  Record<NonNullable<Resource['means']>, Readonly<Record<'lists' | 'ids', readonly string[]>>>
> = {
  person: {
    lists: words('users user contacts contact customers customer people persons members accounts'),
    ids: words(`${ID} userid contactid customerid personid memberid accountid clientid employeeid cid
      contactno customerno userno personnr kundennr kundennummer customernumber usernumber mitgliedsnr personalnr
      kdnr benutzerid idutilisateur idusuario username userprincipalname login`),
  },
  product: {
    lists: words('products product items articles article artikel catalog catalogue goods'),
    ids: words(`${ID} productid itemid articleid artikelid sku productno articleno itemno artikelnr
      artikelnummer articlenumber productnumber itemnumber productcode itemcode matnr material materialnr pid
      artnr artno stockcode idproduit idproducto ean gtin`),
  },
};

/** The names that a resource of the contract may have in a source: its own, and those of what its records are. */
export function resourceWords({ name, singular, aliases, means }: Resource): {
  readonly lists: readonly string[];
  readonly ids: readonly string[];
} {
  const { lists, ids } = means === undefined ? { lists: [], ids: words(ID) } : recordWords[means];
  const own = [name, singular, ...aliases].map(fold);
  return { lists: [...new Set([...own, ...lists])], ids: [...new Set([...ids, fold(`${singular}id`)])] };
}
