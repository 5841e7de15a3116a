using erp from '../db/schema';

service ErpService @(path: 'erp', requires: 'authenticated-user') {
  @readonly entity Contacts   as projection on erp.Contacts;
  @readonly entity Categories as projection on erp.Categories;
  @readonly entity Products   as projection on erp.Products;
}
