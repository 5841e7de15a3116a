namespace erp;

entity Contacts {
  key ID           : Integer64;
      FirstName    : String;
      LastName     : String;
      FullName     : String;
      EMail        : String;
      CreatedAt    : Timestamp;
      Remarks      : String;
      City         : String;
      PhotoUrl     : String;
      PasswordHash : String;
}

entity Categories {
  key Code : Integer;
      Name : String;
}

entity Products {
  key ID          : Integer;
      Title       : String;
      Description : String;
      Price       : Decimal(15, 2);
      Cost        : Decimal(15, 2);
      Category    : Association to Categories;
}
