\set id random(1, 1000000000000000)
INSERT INTO item VALUES (:client_id, :id, 'a row of some forty bytes, more or less');
